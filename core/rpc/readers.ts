import type { Metadata } from '@grpc/grpc-js';
import type { Authenticator } from '../access/authenticator.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import { admitCall } from './fetch-call.ts';

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

/** Admits the callers of methods that only read. */
export class Readers {
  readonly #authenticator: Authenticator;
  readonly #proxied: boolean;

  constructor(authenticator: Authenticator, proxied: boolean) {
    this.#authenticator = authenticator;
    this.#proxied = proxied;
  }

  /**
   * Admits a call, and counts it as one request of the token. Rejects with the same errors as a fetch if the
   * credentials or an allowance do not suffice.
   */
  async admit(call: { metadata: Metadata; getPeer(): string }): Promise<Reader> {
    const admission = await admitCall(this.#authenticator, call, this.#proxied);
    admission.charge();
    const { id, tier } = admission.token;
    const onlyInsertedBy = tier === 'FREE' ? id : undefined;
    return { tokenId: id, onlyInsertedBy, limitKey: id, isStranger: false };
  }
}
