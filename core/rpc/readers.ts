import type { Metadata } from '@grpc/grpc-js';
import { limitKeyOf } from '../../net/network.ts';
import { hasCredentials } from '../../proto/clients.ts';
import { ServiceError } from '../../proto/service-error.ts';
import type { AddressBurst } from '../access/address-burst.ts';
import type { Authenticator } from '../access/authenticator.ts';
import type { Caller } from '../access/caller.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import {
  addAccount,
  admitCall,
  allowanceMetadata,
  callerOf,
  credentialsOf,
  isForCaller,
  isRepeated,
} from './fetch-call.ts';
import { replyMetadata } from './reply-metadata.ts';

/** A caller who may read the data of tracked servers, and which servers the caller sees. */
export interface Reader {
  /** Public id of the caller's token. Empty for a caller without a token, and for an operator. */
  readonly tokenId: string;
  /**
   * Id of the token whose servers the reader sees in searches, summaries and changes of whole games. Undefined if the
   * reader sees all servers. A reader always sees a server whose game and address the request names.
   */
  readonly onlyInsertedBy: string | undefined;
  /**
   * Key for limits of this reader, such as the number of open streams: the id of its token. For a stranger, the IPv4
   * address or the IPv6 /64. Empty for an operator, who has no limits.
   */
  readonly limitKey: string;
  /** True if the reader sent no credentials and is not an operator. */
  readonly isStranger: boolean;
}

/** True if a reader sees a server that its request does not name. */
export function isVisible({ onlyInsertedBy }: Reader, server: Pick<ServerRecord, 'insertedBy'>): boolean {
  return onlyInsertedBy === undefined || server.insertedBy === onlyInsertedBy;
}

const OPERATOR: Reader = { tokenId: '', onlyInsertedBy: undefined, limitKey: '', isStranger: false };

type Call = { metadata: Metadata; getPeer(): string };

/** Admits the callers of methods that only read. */
export class Readers {
  readonly #authenticator: Authenticator;
  readonly #proxied: boolean;
  readonly #strangers: AddressBurst | undefined;
  readonly #trusted: boolean;

  /**
   * `proxied`: true if callers can connect through a proxy, so that many callers can have the same address. `strangers`:
   * limit for callers without credentials; undefined if they may not read (GSQ_PAGE=off). `trusted`: true on the
   * internal port, where the metadata of a call can specify its caller.
   */
  constructor(
    authenticator: Authenticator,
    proxied: boolean,
    strangers?: AddressBurst | undefined,
    trusted = false,
  ) {
    this.#authenticator = authenticator;
    this.#proxied = proxied;
    this.#strangers = strangers;
    this.#trusted = trusted;
  }

  /**
   * Admits a call. A call with credentials counts as one request of the token, and is refused with the same errors as a
   * fetch. A call without credentials is refused with AUTH_1 if strangers may not read, and with RATE_1 if its address
   * has used up the limit for strangers. On the internal port, a call without credentials that no gateway made is
   * admitted as the call of an operator.
   */
  async admit(call: Call): Promise<Reader> {
    if (this.#trusted && isOperator(call)) return OPERATOR;
    if (hasCredentials(credentialsOf(call.metadata))) return this.#admitToken(call);
    // Refuses the call with AUTH_1, because it has no token.
    if (!this.#strangers) return this.#admitToken(call);
    const caller = callerOf(call, this.#proxied, this.#trusted);
    // The limit also applies to addresses of this machine and of proxies: a stranger has no other limit.
    const isCharged = this.#trusted && isRepeated(call.metadata);
    if (!isCharged && !(await this.#strangers.countRequest(caller)))
      throw tooManyRequests(this.#strangers, caller);
    return { tokenId: '', onlyInsertedBy: undefined, limitKey: limitKeyOf(caller.address), isStranger: true };
  }

  async #admitToken(call: Call): Promise<Reader> {
    const admission = await admitCall(this.#authenticator, call, this.#proxied, this.#trusted);
    if (!this.#trusted || !isRepeated(call.metadata)) admission.charge();
    const { id, tier } = admission.token;
    const allowances = admission.allowances();
    const left = allowanceMetadata(allowances);
    if (this.#trusted) addAccount(call, id, allowances);
    else if (left) replyMetadata(call).merge(left);
    return {
      tokenId: id,
      onlyInsertedBy: tier === 'FREE' ? id : undefined,
      limitKey: id,
      isStranger: false,
    };
  }
}

/** True for a call on the internal port that has no credentials of a token, and that no gateway made for a caller. */
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
