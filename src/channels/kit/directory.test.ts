import assert from "node:assert/strict";
import { test } from "node:test";
import { createDirectory } from "./directory.ts";

test("people and chats are found by id, and by name whatever the case", () => {
  const directory = createDirectory();
  directory.putUser({ id: "U1", username: "Ann", displayName: "Ann Lee" });
  directory.putChannel({ id: "C1", name: "General", type: "channel" });
  assert.equal(directory.user("U1")?.username, "Ann");
  assert.equal(directory.user("U2"), undefined);
  assert.equal(directory.userByName("aNN")?.id, "U1");
  assert.equal(directory.userByName("ann lee")?.id, "U1");
  assert.equal(directory.userByName("nobody"), undefined);
  assert.equal(directory.userByName(""), undefined);
  assert.equal(directory.channel("C1")?.name, "General");
  assert.equal(directory.channelByName("general")?.id, "C1");
  assert.equal(directory.channelByName("constructor"), undefined);
});

test("a name that two have names nobody; a username decides before display names", () => {
  const directory = createDirectory();
  directory.putUser({ id: "U1", username: "ann" });
  directory.putUser({ id: "U2", username: "bob", displayName: "ANN" });
  assert.equal(directory.userByName("ann")?.id, "U1", "whoever takes the name of another is not found by it");
  directory.putUser({ id: "U3", username: "Ann" });
  assert.equal(directory.userByName("ann"), undefined);
  directory.putUser({ id: "U4", username: "x", displayName: "Sam" });
  directory.putUser({ id: "U5", username: "y", displayName: "sam" });
  assert.equal(directory.userByName("sam"), undefined);
});

test("a new name replaces the old one", () => {
  const directory = createDirectory();
  directory.putUser({ id: "U1", username: "ann" });
  directory.putUser({ id: "U1", username: "anna" });
  assert.equal(directory.userByName("ann"), undefined);
  assert.equal(directory.userByName("anna")?.id, "U1");
  assert.equal(directory.users().length, 1);
});

test("direct chats have no name to be found by, and a removed chat none at all", () => {
  const directory = createDirectory();
  directory.putChannel({ id: "D1", name: "ann", type: "dm" });
  directory.putChannel({ id: "G1", name: "team", type: "group" });
  assert.equal(directory.channelByName("ann"), undefined);
  assert.equal(directory.channelByName("team")?.id, "G1");
  directory.removeChannel("G1");
  directory.removeChannel("G1");
  assert.equal(directory.channelByName("team"), undefined);
  assert.deepEqual(
    directory.channels().map(({ id }) => id),
    ["D1"],
  );
});

test("it holds so many and no more; those seen last stay", () => {
  const directory = createDirectory({ maxUsers: 3, maxChannels: 2 });
  for (const id of ["1", "2", "3"]) directory.putUser({ id, username: `u${id}` });
  directory.putUser({ id: "1", username: "u1" });
  directory.putUser({ id: "4", username: "u4" });
  assert.deepEqual(
    directory.users().map(({ id }) => id),
    ["3", "1", "4"],
  );
  assert.equal(directory.userByName("u2"), undefined);
  for (let n = 0; n < 10; n++) directory.putChannel({ id: `${n}`, name: "same", type: "channel" });
  assert.equal(directory.channels().length, 2);
});
