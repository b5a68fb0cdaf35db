import type { AddressKey } from '../../net/address-key.ts';

/** A challenge is worth trying for so long, ms; a server that thinks otherwise sends another. */
const GOOD_MS = 600_000;
/** After so many questions in a row that got no answer a challenge is taken to be what silences the server. */
const MOST_FAILURES = 3;
/** Entries in a generation; outsiders choose the servers. */
const MOST = 32_768;

interface Remembered {
  challenge: number;
  at: number;
  failures: number;
}

/**
 * The last challenges of servers that lose packets, so that one packet there and one back do where it takes two and two: at
 * 40 % loss each way a question is answered three times as often. In two generations: entries that were not used while the
 * younger one filled go with the older.
 */
export class ChallengeMemory {
  #young = new Map<number | string, Remembered>();
  #old = new Map<number | string, Remembered>();

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** The challenge to ask an endpoint with; undefined if none is known to be good at `now`, ms. */
  find(address: AddressKey, port: number, now: number): number | undefined {
    if (this.size === 0) return undefined;
    const key = keyOf(address, port);
    const found = this.#young.get(key) ?? this.#old.get(key);
    return found && now - found.at < GOOD_MS && found.failures < MOST_FAILURES ? found.challenge : undefined;
  }

  keep(address: AddressKey, port: number, challenge: number, now: number): void {
    if (this.#young.size >= MOST) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(keyOf(address, port), { challenge, at: now, failures: 0 });
  }

  /** Notes that a question with the challenge was not answered. */
  failed(address: AddressKey, port: number): void {
    const key = keyOf(address, port);
    const found = this.#young.get(key) ?? this.#old.get(key);
    if (found) found.failures++;
  }
}

function keyOf(address: AddressKey, port: number): number | string {
  return typeof address === 'number' ? address * 0x1_0000 + port : `${address} ${port}`;
}
