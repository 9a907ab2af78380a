/**
 * Who this browser is: a P-256 key that cannot be taken out of it, kept in IndexedDB with the token that mom gave for it.
 * Where the browser keeps nothing (private windows), the key lives as long as the page.
 */
export interface DeviceKey {
  /** SHA-256 over both coordinates, base64url. */
  id: string;
  publicKey: { x: string; y: string };
  token: string | undefined;
  sign(text: string): Promise<string>;
  saveToken(token: string | undefined): Promise<void>;
}

interface StoredKey {
  id: string;
  publicKey: { x: string; y: string };
  privateKey: CryptoKey;
  token?: string;
}

const databaseName = "mom";
const storeName = "device";
const recordKey = "key";
const algorithm = { name: "ECDSA", namedCurve: "P-256" };

/** Plain HTTP beyond this machine: the browser offers no keys there. */
export const hasDeviceKeys = (): boolean => globalThis.crypto?.subtle !== undefined;

export async function loadDeviceKey(): Promise<DeviceKey> {
  const database = await openDatabase().catch(() => undefined);
  const stored = database && (await read(database).catch(() => undefined));
  const key = stored ?? (await createKey());
  const save = async () => {
    if (database) await write(database, key).catch(() => undefined);
  };
  if (!stored) await save();
  return {
    id: key.id,
    publicKey: key.publicKey,
    get token() {
      return key.token;
    },
    sign: async (text) => {
      const bytes = new TextEncoder().encode(text);
      return toBase64Url(await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, key.privateKey, bytes));
    },
    saveToken: async (token) => {
      if (token === undefined) delete key.token;
      else key.token = token;
      await save();
    },
  };
}

async function createKey(): Promise<StoredKey> {
  const pair = await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
  const { x, y } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  if (x === undefined || y === undefined) throw new Error("the browser made a key without coordinates");
  const bytes = new Uint8Array([...fromBase64Url(x), ...fromBase64Url(y)]);
  const id = toBase64Url(await crypto.subtle.digest("SHA-256", bytes));
  return { id, publicKey: { x, y }, privateKey: pair.privateKey };
}

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(databaseName, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(storeName);
  return toPromise(request);
}

const read = (database: IDBDatabase): Promise<StoredKey | undefined> =>
  toPromise(database.transaction(storeName).objectStore(storeName).get(recordKey));

const write = (database: IDBDatabase, key: StoredKey): Promise<unknown> =>
  toPromise(database.transaction(storeName, "readwrite").objectStore(storeName).put(key, recordKey));

function toPromise<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function toBase64Url(buffer: ArrayBuffer): string {
  const binary = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): Uint8Array {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}
