// Requests to `memfort serve`. The key is read anew each time, so that a rotated one is taken up.

import { readFile } from "node:fs/promises";

const ADVICE = "Go on without it, and try again later.";

/** A verb's answer. A refusal is an Error whose message a model can read; it never quotes what was sent. */
export async function ask(config, headers, verb, fields, milliseconds = 15_000) {
  const key = (await readFile(config.keyFile, "utf8")).trim();
  let response;
  try {
    response = await fetch(new URL(`/v1/${verb}`, config.server), {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(fields),
      signal: AbortSignal.timeout(milliseconds),
    });
  } catch (error) {
    const why = error?.name === "TimeoutError" ? "did not answer in time" : "cannot be reached";
    throw new Error(`unavailable: the memory ${why}. ${ADVICE}`);
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) {
    const reason = answer.reason ?? answer.code ?? response.status;
    throw new Error(`denied (${reason}): ${answer.detail ?? answer.title ?? "it was refused"}`);
  }
  return answer;
}
