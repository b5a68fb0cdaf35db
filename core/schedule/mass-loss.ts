const SLICE_MS = 1_000;
/** The window is this many slices long, the one under way included. */
const SLICES = 10;
/** Networks are counted by hash: of a large fleet several share a place, and their mean. */
const PLACES = 256;

/** Fewer probes, or fewer networks, in the window say nothing. */
const MIN_PROBES = 20;
const MIN_NETWORKS = 5;
/** From this share of networks lost it is us; below the other it is over. Normal is well below both. */
const BEGINS = 1 / 2;
const ENDS = 1 / 4;
/** Where more still answer than these leave, it may be them after all: half the internet gone is believed in the end. */
const NEARLY_ALL = 0.9;
const MAX_PARTIAL_MS = 10 * 60_000;
/** So long without any answer, `MIN_NETWORKS` having been asked, it is us however few are asked. */
const MUTE_MS = 5_000;
/** A network that answered within this time ought to have answered again. */
const HEARD_MS = 2 * 60_000;

/** FNV-1a. */
function placeOf(network: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < network.length; i++) hash = Math.imul(hash ^ network.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 16)) & (PLACES - 1);
}

/** How many probes of each place were lost, and how many there were: by slice, and their sums. */
class Window {
  readonly #lost = new Uint32Array(SLICES * PLACES);
  readonly #all = new Uint32Array(SLICES * PLACES);
  readonly #lostNow = new Uint32Array(PLACES);
  readonly #allNow = new Uint32Array(PLACES);
  #slice = 0;

  /** Forgets what is older than the window at a time; true where a slice began. */
  advance(now: number): boolean {
    const slice = Math.floor(now / SLICE_MS);
    const steps = slice - this.#slice;
    if (steps === 0) return false;
    // A clock set back leaves nothing that could be placed.
    const forgotten = steps < 0 || steps > SLICES ? SLICES : steps;
    for (let i = 0; i < forgotten; i++) this.#clear((slice + SLICES - i) % SLICES);
    this.#slice = slice;
    return true;
  }

  add(network: string, answered: boolean): void {
    const place = placeOf(network);
    const at = (this.#slice % SLICES) * PLACES + place;
    this.#all[at] = (this.#all[at] ?? 0) + 1;
    this.#allNow[place] = (this.#allNow[place] ?? 0) + 1;
    if (answered) return;
    this.#lost[at] = (this.#lost[at] ?? 0) + 1;
    this.#lostNow[place] = (this.#lostNow[place] ?? 0) + 1;
  }

  /** The mean share lost of each network, so that a large one weighs no more than a small one. */
  sums(): { probes: number; networks: number; share: number } {
    let probes = 0;
    let networks = 0;
    let shares = 0;
    for (let place = 0; place < PLACES; place++) {
      const all = this.#allNow[place] ?? 0;
      if (all === 0) continue;
      probes += all;
      networks++;
      shares += (this.#lostNow[place] ?? 0) / all;
    }
    return { probes, networks, share: networks === 0 ? 0 : shares / networks };
  }

  #clear(slice: number): void {
    for (let place = 0; place < PLACES; place++) {
      const at = slice * PLACES + place;
      this.#lostNow[place] = (this.#lostNow[place] ?? 0) - (this.#lost[at] ?? 0);
      this.#allNow[place] = (this.#allNow[place] ?? 0) - (this.#all[at] ?? 0);
      this.#lost[at] = 0;
      this.#all[at] = 0;
    }
  }
}

/**
 * Tells from the probes of one prober, of servers that were online, whether it is cut off: when many of them, in many
 * networks, fall silent at once, it is not they who are gone. Holds 23 KB, whatever the number of servers.
 */
export class MassLoss {
  readonly #window = new Window();
  /** Most networks are lost, since `#mostSince`. */
  #most = false;
  #mostSince = 0;
  /** Part of them was lost for so long that it is believed; until few are. */
  #believed = false;
  #mute = false;
  /** Networks that were lost since anything answered: as many as it takes. */
  readonly #lostSince = new Set<string>();
  /** The network that answered last, and when another one did. */
  #heard = '';
  #heardAt = Number.NEGATIVE_INFINITY;
  #otherHeardAt = Number.NEGATIVE_INFINITY;

  /** While true, failures say nothing about servers. */
  get frozen(): boolean {
    return this.#most || this.#mute;
  }

  /** Takes note of a probe; `now` in milliseconds. */
  note(network: string, answered: boolean, now: number): void {
    if (this.#window.advance(now)) this.#judge(now);
    this.#window.add(network, answered);
    if (answered) {
      if (network !== this.#heard) this.#otherHeardAt = this.#heardAt;
      this.#heard = network;
      this.#heardAt = now;
      this.#mute = false;
      if (this.#lostSince.size > 0) this.#lostSince.clear();
      return;
    }
    if (this.#lostSince.size < MIN_NETWORKS) this.#lostSince.add(network);
    this.#mute = this.#lostSince.size === MIN_NETWORKS && now - this.#heardAt >= MUTE_MS;
  }

  /**
   * Whether a server in a network that is silent since a time can be told from a prober that is cut off since then:
   * another network answered meanwhile, or none was heard lately that could have.
   */
  tellsApart(network: string, since: number, now: number): boolean {
    const heardAt = network === this.#heard ? this.#otherHeardAt : this.#heardAt;
    return heardAt >= since || now - heardAt > HEARD_MS;
  }

  #judge(now: number): void {
    const { probes, networks, share } = this.#window.sums();
    if (share < ENDS) {
      this.#most = false;
      this.#believed = false;
    } else if (this.#most) {
      if (share >= NEARLY_ALL || now - this.#mostSince < MAX_PARTIAL_MS) return;
      this.#most = false;
      this.#believed = true;
    } else if (!this.#believed && probes >= MIN_PROBES && networks >= MIN_NETWORKS && share >= BEGINS) {
      this.#most = true;
      this.#mostSince = now;
    }
  }
}
