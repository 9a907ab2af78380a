/** Sign bits of many vectors in one array, with the way from an id to its place. Grows by doubling; a gap is filled by the last. */
import { wordsFor, writeSignBits } from "./sign-bits.ts";

export interface BitTable {
  readonly dimensions: number;
  readonly size: number;
  /** Held in memory, the map from ids to places estimated. */
  readonly bytes: number;
  /** `size` of each; the arrays change with the next `put`. */
  readonly words: Uint32Array;
  readonly ids: Float64Array;
  put(id: number, vector: Float32Array): void;
  /** Bits as `toSignBits` made them. */
  putBits(id: number, bits: Uint32Array): void;
  remove(id: number): void;
}

const firstCapacity = 256;
/** A Map of numbers, measured. */
const bytesPerMapEntry = 40;

export function createBitTable(dimensions: number): BitTable {
  const perItem = wordsFor(dimensions);
  const places = new Map<number, number>();
  let words = new Uint32Array(firstCapacity * perItem);
  let ids = new Float64Array(firstCapacity);

  const placeOf = (id: number) => {
    const known = places.get(id);
    if (known !== undefined) return known;
    const place = places.size;
    if (place === ids.length) grow();
    places.set(id, place);
    ids[place] = id;
    return place;
  };
  const grow = () => {
    const [oldWords, oldIds] = [words, ids];
    words = new Uint32Array(oldWords.length * 2);
    words.set(oldWords);
    ids = new Float64Array(oldIds.length * 2);
    ids.set(oldIds);
  };
  return {
    dimensions,
    get size() {
      return places.size;
    },
    get bytes() {
      return words.byteLength + ids.byteLength + places.size * bytesPerMapEntry;
    },
    get words() {
      return words;
    },
    get ids() {
      return ids;
    },
    put(id, vector) {
      const place = placeOf(id);
      writeSignBits(vector, words, place * perItem);
    },
    putBits(id, bits) {
      const place = placeOf(id);
      words.set(bits, place * perItem);
    },
    remove(id) {
      const place = places.get(id);
      if (place === undefined) return;
      const last = places.size - 1;
      const moved = ids[last] as number;
      words.copyWithin(place * perItem, last * perItem, (last + 1) * perItem);
      ids[place] = moved;
      places.set(moved, place);
      places.delete(id);
    },
  };
}
