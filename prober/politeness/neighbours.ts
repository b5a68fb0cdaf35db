/** How long what a server did is held to say something about its neighbours. */
const REMEMBERED_MS = 120_000;

/** When a port of one IP address did something last, which it was, and when another did. */
class LastTwo {
  #port = 0;
  #at = Number.NEGATIVE_INFINITY;
  #otherAt = Number.NEGATIVE_INFINITY;

  note(port: number, now: number): void {
    if (port !== this.#port) {
      this.#otherAt = this.#at;
      this.#port = port;
    }
    this.#at = now;
  }

  /** Whether another port did it lately. */
  besides(port: number, now: number): boolean {
    const at = port === this.#port ? this.#otherAt : this.#at;
    return now - at <= REMEMBERED_MS;
  }
}

/** What the servers of one IP address did lately. */
class Neighbourhood {
  readonly answered = new LastTwo();
  readonly silent = new LastTwo();
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
  #young = new Map<string, Neighbourhood>();
  #old = new Map<string, Neighbourhood>();
  #youngSince = Number.NEGATIVE_INFINITY;

  /** `most`: IP addresses in a generation. Where there are more, those noted longest ago are forgotten early. */
  constructor(most = 65_536) {
    this.#most = most;
  }

  /** IP addresses remembered; one that is in both generations counts twice. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  note(address: string, port: number, answered: boolean, now: number): void {
    if (now - this.#youngSince > REMEMBERED_MS || this.#young.size >= this.#most) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngSince = now;
    }
    let here = this.#young.get(address);
    if (!here) {
      here = this.#old.get(address) ?? new Neighbourhood();
      this.#young.set(address, here);
    }
    (answered ? here.answered : here.silent).note(port, now);
  }

  /** What others than this port did within the last two minutes. */
  signs(address: string, port: number, now: number): NeighbourSigns {
    const here = this.#young.get(address) ?? this.#old.get(address);
    return {
      neighboursAnswered: here?.answered.besides(port, now) ?? false,
      neighboursSilent: here?.silent.besides(port, now) ?? false,
    };
  }
}
