/** An address as `socket.remoteAddress` gives it, without zone and without the IPv6 mapping of an IPv4. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
}

/** Whether a plain address is none of this machine's, where a proxy or a load generator speaks for many. */
export function isRemote(address: string): boolean {
  return !address.startsWith('127.') && address !== '::1';
}

/** Whom an address belongs to: itself in IPv4, its /64 in IPv6, since one machine has all of those. */
export function holderOf(address: string): string {
  const bare = plain(address);
  if (!bare.includes(':')) return bare;
  const [head = '', tail = ''] = bare.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === '' ? 0 : tail.split(':').length;
  while (groups.length + rest < 8) groups.push('0');
  return groups.slice(0, 4).join(':');
}

/** How much of something each remote address has at a time. Holds an entry only for those that have any. */
export class AddressCap {
  readonly #limit: number;
  readonly #counts: (address: string) => boolean;
  readonly #taken = new Map<string, number>();
  #refused = 0;

  /** `counts`: which addresses are counted; all but those of this machine unless told otherwise. */
  constructor(limit: number, counts: (address: string) => boolean = isRemote) {
    this.#limit = limit;
    this.#counts = counts;
  }

  /** Addresses that have any. */
  get size(): number {
    return this.#taken.size;
  }

  /** How often an address that had its share asked for more. */
  get refused(): number {
    return this.#refused;
  }

  /** Takes one for an address. Returns what gives it back, to be called once; undefined where it has its share. */
  take(address: string): (() => void) | undefined {
    if (!this.#counts(plain(address))) return () => {};
    const holder = holderOf(address);
    const taken = this.#taken.get(holder) ?? 0;
    if (taken >= this.#limit) {
      this.#refused++;
      return undefined;
    }
    this.#taken.set(holder, taken + 1);
    return () => this.#give(holder);
  }

  #give(holder: string): void {
    const left = (this.#taken.get(holder) ?? 0) - 1;
    if (left > 0) this.#taken.set(holder, left);
    else this.#taken.delete(holder);
  }
}
