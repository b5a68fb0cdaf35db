import assert from 'node:assert/strict';
import { type ClientDuplexStream, type ServiceError as GrpcError, Metadata, status } from '@grpc/grpc-js';
import { clients, credentialKeys } from '../../proto/clients.ts';
import { googleRpc } from '../../proto/descriptors.ts';
import type { HttpBody__Output } from '../../proto/generated/google/api/HttpBody.ts';
import type { FetchCall } from '../../proto/generated/gsq/v1/FetchCall.ts';
import type { FetchReply__Output } from '../../proto/generated/gsq/v1/FetchReply.ts';
import type { FetchServersRequest } from '../../proto/generated/gsq/v1/FetchServersRequest.ts';
import type { FetchServersResponse__Output } from '../../proto/generated/gsq/v1/FetchServersResponse.ts';
import type { FetchStreamRequest } from '../../proto/generated/gsq/v1/FetchStreamRequest.ts';
import type { FetchStreamResponse__Output } from '../../proto/generated/gsq/v1/FetchStreamResponse.ts';
import type { ServerResult__Output } from '../../proto/generated/gsq/v1/ServerResult.ts';
import { unary } from '../core/rpc/answer.ts';
import { hearGrpc } from '../system/hearing.ts';
import { bootstrap } from '../system/stack-settings.ts';
import type { Credentials } from './rest.ts';

const DEADLINE_MS = 20_000;

/** Returns credentials as gRPC metadata: `x-api-token`, `x-api-token-type`, `x-api-token-email`. */
export function credentialMetadata({ token, tier, email }: Credentials = bootstrap): Metadata {
  const metadata = new Metadata();
  metadata.set(credentialKeys.token, token);
  metadata.set(credentialKeys.tier, tier);
  metadata.set(credentialKeys.email, email);
  return metadata;
}

export function deadline(): { deadline: number } {
  return { deadline: Date.now() + DEADLINE_MS };
}

/** Calls FetchServers. By default, the call has the credentials of the bootstrap token of the test stack. */
export async function fetchServers(
  address: string,
  request: FetchServersRequest,
  metadata = credentialMetadata(),
): Promise<FetchServersResponse__Output> {
  const client = clients.server(address);
  try {
    return await unary(done => client.fetchServers(request, metadata, deadline(), done));
  } finally {
    client.close();
  }
}

/** Calls FetchServersJson. By default, the call has the credentials of the bootstrap token of the test stack. */
export async function fetchJson(
  address: string,
  request: FetchServersRequest,
  metadata = credentialMetadata(),
): Promise<HttpBody__Output> {
  const client = clients.server(address);
  try {
    return await unary(done => client.fetchServersJson(request, metadata, deadline(), done));
  } finally {
    client.close();
  }
}

/** Returns the result for this game and address. Fails unless the response contains exactly one result for them. */
export function resultFor(
  response: FetchServersResponse__Output,
  gameId: string,
  server: string,
): ServerResult__Output {
  const found = response.results.filter(result => result.gameId === gameId && result.server === server);
  const [result] = found;
  assert.ok(result && found.length === 1, `${found.length} results for ${gameId} ${server}`);
  return result;
}

/**
 * The error of a failed gRPC call, with the decoded details google.rpc.ErrorInfo, BadRequest, QuotaFailure and
 * RetryInfo.
 */
export interface Failure {
  /** Name of the gRPC status code with which the call failed. */
  code: string;
  message: string;
  reason: string | undefined;
  domain: string | undefined;
  metadata: Record<string, string> | undefined;
  violations: { field: string; description: string }[] | undefined;
  /** The property `subject` of the first violation in the error detail google.rpc.QuotaFailure. */
  quotaSubject: string | undefined;
  retryAfterSeconds: number | undefined;
}

/** Returns the decoded error of a gRPC call. Fails if the call succeeds. */
export async function failure(call: Promise<unknown>): Promise<Failure> {
  const error = await call.then(
    out => assert.fail(`succeeded with ${JSON.stringify(out)}`),
    (reason: GrpcError) => reason,
  );
  hearGrpc(error);
  const [bytes] = error.metadata.get('grpc-status-details-bin');
  assert.ok(bytes instanceof Buffer, `no status details: ${error.message}`);
  const decoded = googleRpc.Status.deserialize(bytes);
  assert.equal(decoded.code, error.code);
  assert.equal(decoded.message, error.details);
  const value = (type: string) =>
    decoded.details.find(detail => detail.type_url === `type.googleapis.com/google.rpc.${type}`)?.value;
  const info = value('ErrorInfo');
  const badRequest = value('BadRequest');
  const quotaFailure = value('QuotaFailure');
  const retryInfo = value('RetryInfo');
  const errorInfo = info && googleRpc.ErrorInfo.deserialize(info);
  const retryDelay = retryInfo && googleRpc.RetryInfo.deserialize(retryInfo).retryDelay;
  return {
    code: status[error.code],
    message: error.details,
    reason: errorInfo?.reason,
    domain: errorInfo?.domain,
    metadata: errorInfo?.metadata,
    violations: badRequest && googleRpc.BadRequest.deserialize(badRequest).fieldViolations,
    quotaSubject: quotaFailure && googleRpc.QuotaFailure.deserialize(quotaFailure).violations[0]?.subject,
    retryAfterSeconds: retryDelay ? Number(retryDelay.seconds) : undefined,
  };
}

/** A FetchStream for tests. `send` sends calls. `next` returns the replies in the order in which they arrive. */
export class FetchConversation {
  readonly #stream: ClientDuplexStream<FetchStreamRequest, FetchStreamResponse__Output>;
  readonly #messages: AsyncIterator<FetchStreamResponse__Output>;
  readonly #read: FetchReply__Output[] = [];
  readonly #close: () => void;

  constructor(address: string, metadata = credentialMetadata()) {
    const client = clients.server(address);
    this.#close = () => client.close();
    this.#stream = client.fetchStream(metadata, deadline());
    this.#messages = this.#stream[Symbol.asyncIterator]();
  }

  send(...calls: FetchCall[]): void {
    this.#stream.write({ calls });
  }

  async next(): Promise<FetchReply__Output> {
    for (;;) {
      const reply = this.#read.shift();
      if (reply) return reply;
      const { done, value } = await this.#messages.next();
      assert.ok(!done, 'the stream ended instead of answering');
      this.#read.push(...value.replies);
    }
  }

  /** Closes the sending side of the stream. Fails if the core then sends another reply instead of the stream's end. */
  async end(): Promise<void> {
    this.#stream.end();
    const { done } = await this.#messages.next();
    this.#close();
    assert.equal(done, true);
  }
}
