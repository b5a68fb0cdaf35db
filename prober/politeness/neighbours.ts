import type { AddressKey } from '../../proto/address-key.ts';

/** How long what a server did is held to say something about its neighbours. */
const REMEMBERED_S = 120;

/** Times are kept in whole seconds, which V8 keeps in place, without an object for each. */
const seconds = (ms: number): number => Math.floor(ms / 1000) | 0;
const NEVER = -0x3fffffff;

/** When a port of one IP address did something last, which it was, and when another did. */
class LastTwo {
  #port = 0;
  #at = NEVER;
  #otherAt = NEVER;

  note(port: number, now: number): void {
    if (port !== this.#port) {
      this.#otherAt = this.#at;
      this.#port = port;
    }
    this.#at = seconds(now);
  }

  /** Whether another port did it lately. */
  besides(port: number, now: number): boolean {
    const at = port === this.#port ? this.#otherAt : this.#at;
    return seconds(now) - at <= REMEMBERED_S;
  }
}

/** What the servers of one IP address did lately. */
class Neighbourhood {
  answered: LastTwo | undefined;
  silent: LastTwo | undefined;
}

/** What is known of the other servers at an IP address. */
export interface NeighbourSigns {
  neighboursAnswered: boolean;
  neighboursSilent: boolean;
}

/**
 * Remembers for two minutes which servers answered and which were silent, by IP address. In two generations: what was
 * not noted again while the younger one filled is dropped with the older, at no cost by the entry.
 */
export class Neighbours {
  readonly #most: number;
  #young = new Map<AddressKey, Neighbourhood>();
  #old = new Map<AddressKey, Neighbourhood>();
  #youngSince = Number.NEGATIVE_INFINITY;

  /** `most`: IP addresses in a generation. Where there are more, those noted longest ago are forgotten early. */
  constructor(most = 65_536) {
    this.#most = most;
  }

  /** IP addresses remembered; one that is in both generations counts twice. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Notes whether the server at this port answered, and says what others did within the last two minutes. */
  note(address: AddressKey, port: number, answered: boolean, now: number): NeighbourSigns {
    if (now - this.#youngSince > REMEMBERED_S * 1000 || this.#young.size >= this.#most) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngSince = now;
    }
    let here = this.#young.get(address);
    if (!here) {
      here = this.#old.get(address) ?? new Neighbourhood();
      this.#young.set(address, here);
    }
    // Few addresses have both.
    here[answered ? 'answered' : 'silent'] ??= new LastTwo();
    here[answered ? 'answered' : 'silent']?.note(port, now);
    return signsOf(here, port, now);
  }

  /** What others than this port did within the last two minutes. */
  signs(address: AddressKey, port: number, now: number): NeighbourSigns {
    return signsOf(this.#young.get(address) ?? this.#old.get(address), port, now);
  }
}

function signsOf(here: Neighbourhood | undefined, port: number, now: number): NeighbourSigns {
  return {
    neighboursAnswered: here?.answered?.besides(port, now) ?? false,
    neighboursSilent: here?.silent?.besides(port, now) ?? false,
  };
}
