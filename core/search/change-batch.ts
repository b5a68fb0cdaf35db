import { ByteWriter } from '../../proto/codec/byte-writer.ts';
import { PayloadReader } from '../../proto/codec/payload.generated.ts';
import { type ServerRecord, type Status, statuses } from '../servers/server-record.ts';

/**
 * The kinds of server changes in a batch for the search index. `facts` means that the name, the map and the version of
 * the server did not change: only its `Facts` are sent.
 */
const KINDS = ['server', 'facts', 'removal'] as const;
/**
 * Maximum length of a name, map or version in the search index, in bytes. Longer texts are cut to this length. No text
 * should be longer, because probers cut these texts to 256 characters, which take at most 1024 bytes.
 */
const MAX_TEXT = 1024;

const payload = new PayloadReader();

/**
 * The facts of a server in the search index: its status, its number of players, and its two flags (password, public).
 */
export interface Facts {
  status: Status;
  /** Number of players; 0 if the server is not online or does not report it. */
  players: number;
  password: boolean;
  /** True if the operator listed the server as public (`gsq servers list-publicly`). */
  isPublic: boolean;
}

/**
 * An object that receives the server changes of a batch. For each change, one of its methods is called once. The game
 * and the canonical address tell which server has changed.
 */
export interface ChangeSink {
  putServer(
    gameId: string,
    address: string,
    facts: Facts,
    texts: { insertedBy: string; name: string; map: string; version: string },
  ): void;
  putFacts(gameId: string, address: string, facts: Facts): void;
  removeServer(gameId: string, address: string): void;
}

/**
 * Packs server changes into bytes for the search thread, in about 1 µs each. The search thread normalises the texts, to
 * save time in the main thread.
 */
export class ChangeBatch {
  readonly #out = new ByteWriter(64 * 1024);

  /** Size of this batch of server changes for the search index, in bytes. */
  get bytes(): number {
    return this.#out.length;
  }

  /** Adds a server with all its searchable fields to this batch for the search index. */
  addServer(record: ServerRecord): void {
    this.#addFacts(0, record);
    const { data } = record;
    this.#text(record.insertedBy);
    this.#span(data, payload.nameStart, payload.nameEnd);
    this.#span(data, payload.mapStart, payload.mapEnd);
    this.#span(data, payload.versionStart, payload.versionEnd);
  }

  /**
   * Adds the status, the players and the flags of a server to this batch for the search index. Used if the name, the
   * map and the version of the server did not change.
   */
  addFacts(record: ServerRecord): void {
    this.#addFacts(1, record);
  }

  /** Adds the removal of a server to this batch for the search index. */
  addRemoval({ gameId, address }: Pick<ServerRecord, 'gameId' | 'address'>): void {
    this.#out.byte(2);
    this.#text(gameId);
    this.#text(address);
  }

  /** Copies the packed changes to `memory`, which must be large enough, and empties the batch. Returns the copy. */
  takeBytes(memory = new ArrayBuffer(this.#out.length)): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(memory, 0, this.#out.length);
    bytes.set(this.#out.room(0).subarray(0, this.#out.length));
    this.#out.length = 0;
    return bytes;
  }

  /** Empties this batch for the search index: drops all server changes that were added to it. */
  clear(): void {
    this.#out.length = 0;
  }

  #addFacts(kind: number, { gameId, address, status, isPublic, data }: ServerRecord): void {
    payload.read(data, 0, data.length);
    const out = this.#out;
    out.byte(kind);
    this.#text(gameId);
    this.#text(address);
    out.byte(statuses.indexOf(status) | (payload.password ? 4 : 0) | (isPublic ? 8 : 0));
    out.varint(status === 'online' ? Math.max(payload.players, 0) : 0);
  }

  #text(text: string): void {
    const out = this.#out;
    const at = out.length;
    out.room(2);
    out.length += 2;
    out.text(text);
    out.view.setUint16(at, out.length - at - 2, true);
  }

  #span(bytes: Buffer, start: number, end: number): void {
    const out = this.#out;
    const length = Math.min(end - start, MAX_TEXT);
    out.room(2);
    out.view.setUint16(out.length, length, true);
    out.length += 2;
    out.copyRange(bytes, start, start + length);
  }
}

/**
 * Unpacks a batch of server changes, and passes each change to `sink` (the receiver of the changes), in the order in
 * which the changes were added.
 */
export function readChanges(batch: Uint8Array, sink: ChangeSink): void {
  const bytes = Buffer.from(batch.buffer, batch.byteOffset, batch.byteLength);
  let at = 0;
  const text = (): string => {
    const start = at + 2;
    at = start + bytes.readUInt16LE(at);
    return bytes.toString('utf8', start, at);
  };
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] as number;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const kind = KINDS[bytes[at++] as number];
    const gameId = text();
    const address = text();
    if (kind === 'removal') {
      sink.removeServer(gameId, address);
      continue;
    }
    const flags = bytes[at++] as number;
    const status = statuses[flags & 3] ?? 'pending';
    const facts = { status, players: varint(), password: (flags & 4) !== 0, isPublic: (flags & 8) !== 0 };
    if (kind === 'facts') sink.putFacts(gameId, address, facts);
    else {
      const [insertedBy, name, map, version] = [text(), text(), text(), text()];
      sink.putServer(gameId, address, facts, { insertedBy, name, map, version });
    }
  }
}
