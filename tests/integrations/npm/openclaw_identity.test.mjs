// Who speaks, for every shape in which OpenClaw says it. Run with `node --test`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const { headersOf, saidInHook, saidToTool } = await import(pathToFileURL(process.env.MEMFORT_IDENTITY).href);
const config = {
  localUser: "alice",
  senders: { "telegram:1": "bob", "telegram:2": "carol" },
  chats: { "telegram:-100": "team" },
};
const direct = "agent:main:telegram:direct:1";
const group = "agent:main:telegram:group:-100";

test("who sits at the machine is the local user", () => {
  assert.deepEqual(headersOf(config, { sessionKey: "agent:main:main" }), { "x-requester-id": "alice" });
  assert.equal(headersOf({ senders: config.senders }, { sessionKey: "agent:main:main" }), null);
});

test("what works while nobody sits there has nobody's memory", () => {
  for (const sessionKey of ["agent:main:subagent:4", "agent:main:cron:7", "agent:main:main:thread:2", "", undefined]) {
    assert.equal(headersOf(config, { sessionKey }), null);
  }
  assert.equal(headersOf(config, { sessionKey: "agent:main:main", trigger: "heartbeat" }), null);
});

test("a known sender is that person, an unknown one nobody", () => {
  assert.deepEqual(headersOf(config, { channel: "telegram", senderId: "1", sessionKey: direct }), { "x-requester-id": "bob" });
  assert.equal(headersOf(config, { channel: "telegram", senderId: "9", sessionKey: direct }), null);
  assert.equal(headersOf(config, { channel: "signal", senderId: "1", sessionKey: direct }), null);
  assert.equal(headersOf(config, { channel: "telegram", senderId: "toString", sessionKey: direct }), null);
});

test("in a group the speaker is the one of the message", () => {
  const at = (senderId, chatId = "-100") => headersOf(config, { channel: "telegram", senderId, chatId, sessionKey: group });
  assert.deepEqual(at("1"), { "x-requester-id": "bob", "memfort-at": "chat=team" });
  assert.deepEqual(at("2"), { "x-requester-id": "carol", "memfort-at": "chat=team" });
  assert.equal(at(undefined), null);
  assert.equal(at("1", "-999"), null);
  assert.equal(headersOf(config, { sessionKey: group }), null);
});

test("hooks and tools say the same", () => {
  const hook = saidInHook({ messageProvider: "telegram", senderId: "1", chatId: "-100", sessionKey: group });
  const tool = saidToTool({ messageChannel: "telegram", requesterSenderId: "1", nativeChannelId: "-100", sessionKey: group });
  const { trigger, ...alike } = hook;
  assert.equal(trigger, undefined);
  assert.deepEqual(alike, tool);
});
