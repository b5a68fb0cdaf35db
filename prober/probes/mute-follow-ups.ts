import { type AddressKey, endpointKey } from '../../net/address-key.ts';
import type { RawStatus } from '../answers/raw-status.ts';
import type { DatagramExchange, Step } from '../protocols/protocol.ts';

/**
 * After this number of follow-up requests in a row without a reply, gsq sends the server no more of them for MUTE_MS.
 * The number is so low that the lost requests do not yet give the server the firewall label `rate_limited`.
 */
const MOST_UNANSWERED = 10;
const MUTE_MS = 60 * 60_000;
/**
 * Maximum number of servers whose unanswered follow-up requests are counted. Callers choose the servers, so without a
 * limit the counts could fill the memory.
 */
const MAX_SERVERS = 32_768;

interface Unanswered {
  count: number;
  /** Time from which gsq sends the server a follow-up request again, ms. */
  muteUntil: number;
}

/**
 * Remembers which servers have players, but never answer the follow-up request for their names. CS:GO servers with
 * `host_players_show 0` and Sauerbraten servers with `extinfo` off are examples. gsq then leaves out this request:
 * otherwise each probe would count a lost packet, and the server would seem to limit queries.
 */
export class MuteFollowUps {
  readonly #now: () => number;
  /** Keyed by endpoint. The server that was stored first is the first key, and is removed first. */
  readonly #unanswered = new Map<number | string, Unanswered>();

  /** `now` returns the time of a monotonic clock, ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** True if gsq must not send follow-up requests to this server now. */
  isMute(address: AddressKey, port: number): boolean {
    if (this.#unanswered.size === 0) return false;
    const known = this.#unanswered.get(endpointKey(address, port));
    return known !== undefined && known.count >= MOST_UNANSWERED && this.#now() < known.muteUntil;
  }

  /** Counts a follow-up request that the server did not answer. */
  countUnanswered(address: AddressKey, port: number): void {
    const key = endpointKey(address, port);
    const count = (this.#unanswered.get(key)?.count ?? 0) + 1;
    this.#unanswered.set(key, { count, muteUntil: this.#now() + MUTE_MS });
    if (this.#unanswered.size <= MAX_SERVERS) return;
    const [oldest = ''] = this.#unanswered.keys();
    this.#unanswered.delete(oldest);
  }

  /** Call this method when the server has answered a follow-up request: it then counts as not mute. */
  forget(address: AddressKey, port: number): void {
    if (this.#unanswered.size > 0) this.#unanswered.delete(endpointKey(address, port));
  }
}

/** A query that ends as soon as it is known that the server has players, and does not request their names. */
export class StatusOnlyExchange implements DatagramExchange {
  readonly #whole: DatagramExchange;

  /** `whole`: the query with its follow-up requests. */
  constructor(whole: DatagramExchange) {
    this.#whole = whole;
  }

  get challenged(): boolean {
    return this.#whole.challenged === true;
  }

  get challenge(): number | undefined {
    return this.#whole.challenge;
  }

  request(): Buffer[] {
    return this.#whole.request();
  }

  receive(datagram: Buffer): Step {
    const step = this.#whole.receive(datagram);
    const status = step.kind === 'send' ? this.#whole.partial() : undefined;
    return status?.players ? { kind: 'done', status } : step;
  }

  partial(): RawStatus | undefined {
    return this.#whole.partial();
  }
}
