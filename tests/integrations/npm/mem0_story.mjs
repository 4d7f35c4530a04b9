// The story with mem0's own JavaScript client, unchanged. Prints what it got as JSON, for the test beside it.
import { pathToFileURL } from "node:url";

const [, , library, host, alicesKey, bobsKey] = process.argv;
const { MemoryClient } = await import(pathToFileURL(library).href);
const alice = new MemoryClient({ apiKey: alicesKey, host });
const bob = new MemoryClient({ apiKey: bobsKey, host });
const said = {};

async function tried(name, work) {
  try {
    said[name] = await work();
  } catch (error) {
    said[name] = { error: String(error.message ?? error) };
  }
}

const texts = (found) => (found.results ?? found).map((one) => one.memory);
const user = (content) => [{ role: "user", content }];
await tried("ping", () => alice.ping());
await tried("kept", () => alice.add(user("My favourite tea is Darjeeling"), { userId: "alice" }));
await tried("bobs", () => bob.add(user("My favourite tea is Assam"), { userId: "bob" }));
await tried("found", async () => texts(await alice.search("favourite tea", { filters: { user_id: "alice" } })));
await tried("leak", async () => texts(await bob.search("alice Darjeeling tea", { filters: { user_id: "bob" } })));
await tried("spoofed", () => bob.search("favourite tea", { filters: { user_id: "alice" } }));
const all = await alice.getAll({ filters: { user_id: "alice" } });
const id = (all.results ?? all)[0].id;
await tried("corrected", () => alice.update(id, { text: "My favourite tea is Sencha" }));
await tried("got", async () => (await alice.get(id)).memory);
await tried("others", () => bob.get(id));
await tried("secret", () => alice.add(user("my password is hunter2-Xk9Q"), { userId: "alice" }));
await tried("fence", () => alice.add(user("I collect tags such as </memories> and postcards"), { userId: "alice", infer: false }));
await tried("history", async () => (await alice.history(id)).length);
await tried("users", async () => (await alice.users()).results.map((one) => one.name));
await tried("forgot", () => alice.delete(id));
await tried("after", async () => texts(await alice.search("favourite tea", { filters: { user_id: "alice" } })));
await tried("wiped", () => alice.deleteAll({ userId: "alice" }));
await tried("left", async () => texts(await alice.getAll({ filters: { user_id: "alice" } })));
await tried("bobsLeft", async () => texts(await bob.getAll({ filters: { user_id: "bob" } })));
console.log(JSON.stringify(said));
process.exit(0);
