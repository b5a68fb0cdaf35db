import type { Metadata } from '@grpc/grpc-js';
import { limitKeyOf } from '../../net/network.ts';
import { hasCredentials } from '../../proto/clients.ts';
import { ServiceError } from '../../proto/service-error.ts';
import type { AddressBurst } from '../access/address-burst.ts';
import type { Admission, Authenticator } from '../access/authenticator.ts';
import type { Caller } from '../access/caller.ts';
import type { Scope } from '../search/search-query.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import {
  accessWatch,
  addAccount,
  admitCall,
  allowanceMetadata,
  callerOf,
  credentialsOf,
  isForCaller,
  isRepeated,
} from './fetch-call.ts';
import { replyMetadata } from './reply-metadata.ts';
import type { AccessWatch } from './stream-end.ts';

/** A caller who may read the data of tracked servers, and the limits of what this caller sees. */
export interface Reader {
  /** Public id of the caller's token. Empty if the caller has no token or is an operator. */
  readonly tokenId: string;
  /**
   * The servers that this caller finds in searches, in summaries, and in streams about a game. A caller with a token
   * can read every server by its game and address, even outside this scope.
   */
  readonly scope: Scope;
  /** True if this caller sees the names of players. */
  readonly seesPlayers: boolean;
  /**
   * Key under which the core counts what this caller uses, such as open streams. It is the id of the token, or the IPv4
   * address or IPv6 /64 of a caller without credentials. Empty for an operator, who has no limits.
   */
  readonly limitKey: string;
  /** True for a caller without credentials who is not an operator. */
  readonly isStranger: boolean;
}

/** The rights of callers without credentials: what they may read, and how often. */
export interface StrangerAccess {
  /** Common rate limit of all callers without credentials that have the same address. */
  readonly burst: AddressBurst;
  /** The servers that callers without credentials see (GSQ_PAGE_SERVERS). */
  readonly scope: 'all' | 'public';
  /** True if callers without credentials see the names of players (GSQ_PAGE_PLAYERS). */
  readonly seesPlayers: boolean;
}

/** An admitted call. It counts against the quota only after `charge` was called. */
export interface ReaderAdmission {
  readonly reader: Reader;
  /**
   * Counts the call as one request of the caller's token. Must be called after the check of the request, and before the
   * answer is computed. Throws RefusedError QUOTA_1 if other calls have used up the quota since this call was admitted.
   */
  charge(): void;
  /**
   * Watches an open call: reports when the caller loses the right to use its token. Reports nothing for a caller
   * without a token.
   */
  readonly watch: AccessWatch;
}

/** True if a caller may see a server in search results, or in a stream about all servers of a game. */
export function isVisible(
  { scope }: Pick<Reader, 'scope'>,
  server: Pick<ServerRecord, 'insertedBy' | 'isPublic'>,
): boolean {
  if (scope === 'all') return true;
  return scope === 'public' ? server.isPublic : server.insertedBy === scope.insertedBy;
}

/**
 * True if a caller who sends the address of a server may read this server. Only callers without a token can be limited:
 * if GSQ_PAGE_SERVERS is `public`, they may read only public servers.
 */
export function isVisibleByName({ scope }: Reader, server: Pick<ServerRecord, 'isPublic'>): boolean {
  return scope !== 'public' || server.isPublic;
}

const noCharge = (): void => {};
const noWatch: AccessWatch = () => () => {};

const OPERATOR: ReaderAdmission = {
  reader: { tokenId: '', scope: 'all', seesPlayers: true, limitKey: '', isStranger: false },
  charge: noCharge,
  watch: noWatch,
};

type Call = { metadata: Metadata; getPeer(): string };

/** Checks whether callers may call the methods that only read data. */
export class Readers {
  readonly #authenticator: Authenticator;
  readonly #proxied: boolean;
  readonly #strangers: StrangerAccess | undefined;
  readonly #trusted: boolean;

  /**
   * `proxied`: true if several callers can share the address of a proxy. `strangers`: the rights of callers without
   * credentials. Undefined with GSQ_PAGE=off, because such callers then have no rights. `trusted`: true on the internal
   * port, where the metadata of a call can name the caller.
   */
  constructor(
    authenticator: Authenticator,
    proxied: boolean,
    strangers?: StrangerAccess | undefined,
    trusted = false,
  ) {
    this.#authenticator = authenticator;
    this.#proxied = proxied;
    this.#strangers = strangers;
    this.#trusted = trusted;
  }

  /**
   * Admits a call, or rejects it with an error. Does not count the call against the quota yet (see `charge`). Always
   * admits a call of an operator. Any other call without credentials gets AUTH_1 if GSQ_PAGE is off, or RATE_1 if its
   * address exceeds the rate limit.
   */
  async admit(call: Call): Promise<ReaderAdmission> {
    if (this.#trusted && isOperator(call)) return OPERATOR;
    if (hasCredentials(credentialsOf(call.metadata))) return this.#admitToken(call);
    // GSQ_PAGE is off, so the call needs credentials. It has none, so `#admitToken` refuses it with AUTH_1.
    if (!this.#strangers) return this.#admitToken(call);
    const caller = callerOf(call, this.#proxied, this.#trusted);
    // The address of a proxy or of this machine can belong to many callers. Even then, the rate limit for one address
    // applies, because callers without credentials have no other limit.
    const isCharged = this.#trusted && isRepeated(call.metadata);
    if (!isCharged && !(await this.#strangers.burst.countRequest(caller)))
      throw tooManyRequests(this.#strangers.burst, caller);
    const limitKey = limitKeyOf(caller.address);
    const { scope, seesPlayers } = this.#strangers;
    return {
      reader: { tokenId: '', scope, seesPlayers, limitKey, isStranger: true },
      charge: noCharge,
      watch: noWatch,
    };
  }

  async #admitToken(call: Call): Promise<ReaderAdmission> {
    const admission = await admitCall(this.#authenticator, call, this.#proxied, this.#trusted);
    const { id, tier } = admission.token;
    const scope: Scope = tier === 'FREE' ? { insertedBy: id } : 'all';
    this.#addAllowances(call, admission);
    return {
      reader: { tokenId: id, scope, seesPlayers: true, limitKey: id, isStranger: false },
      charge: () => {
        if (this.#trusted && isRepeated(call.metadata)) return;
        admission.charge();
        this.#addAllowances(call, admission);
      },
      watch: accessWatch(this.#authenticator, call, id, this.#proxied, this.#trusted),
    };
  }

  /**
   * Writes the remaining quota of the token into the initial metadata of the reply. Replaces the numbers of an earlier
   * call of this method.
   */
  #addAllowances(call: Call, admission: Admission): void {
    const allowances = admission.allowances();
    if (this.#trusted) {
      addAccount(call, admission.token.id, allowances);
      return;
    }
    const left = allowanceMetadata(allowances);
    if (!left) return;
    const metadata = replyMetadata(call);
    for (const key of Object.keys(left.getMap())) metadata.remove(key);
    metadata.merge(left);
  }
}

/**
 * True if the operator made the call: it came over the internal port without the credentials of a token, and no gateway
 * made it for a caller.
 */
export function isOperator({ metadata }: Pick<Call, 'metadata'>): boolean {
  return !hasCredentials(credentialsOf(metadata)) && !isForCaller(metadata);
}

function tooManyRequests({ limit }: AddressBurst, { address }: Caller): ServiceError {
  return new ServiceError(
    'RATE_1',
    `More than ${limit} requests without a token from your address within one second; spread them, or send a token.`,
    {
      retryAfterSeconds: 1,
      facts: { limit_per_second: String(limit) },
      quotaSubject: `clientip:${address}`,
    },
  );
}
