// Who speaks, and from where: the only place that decides it. It reads what the host says about the message, and never
// the words of a message or of a model.

const LOCAL = new Set([undefined, "", "webchat", "cli", "local"]);
const MAIN = /^agent:[^:]+:main$/; // a subagent or a timer has another session, and may work for anybody
const UNATTENDED = new Set(["cron", "heartbeat"]);

/**
 * The headers that say who asks, or null for nobody.
 * @param {{localUser?: string, senders?: Record<string, string>, chats?: Record<string, string>}} config
 * @param {{channel?: string, senderId?: string, chatId?: string, sessionKey?: string, trigger?: string}} said what the host says
 */
export function headersOf(config, said) {
  const { channel, senderId, chatId, sessionKey = "", trigger } = said;
  const isGroup = /:(group|channel|room)s?:/.test(sessionKey);
  if (LOCAL.has(channel) && !senderId) {
    const isThere = MAIN.test(sessionKey) && !UNATTENDED.has(trigger);
    return isThere && config.localUser ? { "x-requester-id": encodeURIComponent(config.localUser) } : null;
  }
  const user = own(config.senders, `${channel}:${senderId}`);
  if (!senderId || !user) return null; // a group whose speaker the host does not name has no memory
  const headers = { "x-requester-id": encodeURIComponent(user) };
  if (!isGroup) return headers;
  const chat = own(config.chats, `${channel}:${chatId}`);
  return chat ? { ...headers, "memfort-at": `chat=${encodeURIComponent(chat)}` } : null;
}

/** What the host says in a hook. */
export function saidInHook(ctx = {}) {
  return {
    channel: ctx.messageProvider ?? ctx.channel,
    senderId: ctx.senderId ?? ctx.channelContext?.sender?.id,
    chatId: ctx.chatId ?? ctx.channelContext?.chat?.id ?? ctx.channelId,
    sessionKey: ctx.sessionKey,
    trigger: ctx.trigger,
  };
}

/** What the host says to a tool: the speaker of the message, not of the session. */
export function saidToTool(ctx = {}) {
  return {
    channel: ctx.messageChannel ?? ctx.deliveryContext?.channel,
    senderId: ctx.requesterSenderId,
    chatId: ctx.nativeChannelId ?? ctx.deliveryContext?.to,
    sessionKey: ctx.sessionKey,
  };
}

function own(table, name) {
  return table && Object.hasOwn(table, name) ? table[name] : undefined;
}
