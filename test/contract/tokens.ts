import { setTimeout as pause } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { clients, internalMetadata } from '../../proto/clients.ts';
import type { CreateTokenRequest } from '../../proto/generated/gsq/v1/CreateTokenRequest.ts';
import type { CreateTokenResponse__Output } from '../../proto/generated/gsq/v1/CreateTokenResponse.ts';
import type { ListTokensResponse__Output } from '../../proto/generated/gsq/v1/ListTokensResponse.ts';
import { unary } from '../core/rpc/answer.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';
import { deadline, FetchConversation } from './grpc.ts';
import type { Credentials } from './rest.ts';

export const OWNER = 'Owner@Example.com';

/** Longest time until the lead core (which counts the usage of tokens) knows of a request to another core, ms. */
const REPORTED_MS = 1_500;

/** A token for tests: the credentials that a caller sends, and the id of the token. */
export interface TestToken extends Credentials {
  id: string;
}

/** Creates a token through AdminService. The tier is FREE unless `wish` contains another tier. */
export async function createToken(internal: string, wish: CreateTokenRequest = {}): Promise<TestToken> {
  const client = clients.admin(internal);
  const request = { tier: 'FREE', email: OWNER, ...wish };
  try {
    const { secret, token } = await unary<CreateTokenResponse__Output>(done =>
      client.createToken(request, internalMetadata(INTERNAL_SECRET), deadline(), done),
    );
    return { token: secret, tier: request.tier, email: OWNER, id: token?.id ?? '' };
  } finally {
    client.close();
  }
}

export async function revokeToken(internal: string, id: string): Promise<void> {
  const client = clients.admin(internal);
  try {
    await unary(done => client.revokeToken({ id }, internalMetadata(INTERNAL_SECRET), deadline(), done));
  } finally {
    client.close();
  }
}

/**
 * Returns the number of requests charged to a token in the last 24 hours. With several cores (TEST_CORES), waits until
 * this number no longer changes.
 */
export async function usedBy(internal: string, id: string): Promise<number> {
  let used = await reportedUsage(internal, id);
  if (process.env.TEST_CORES === undefined) return used;
  for (;;) {
    await pause(REPORTED_MS);
    const later = await reportedUsage(internal, id);
    if (later === used) return used;
    used = later;
  }
}

async function reportedUsage(internal: string, id: string): Promise<number> {
  const client = clients.admin(internal);
  try {
    const { tokens } = await unary<ListTokensResponse__Output>(done =>
      client.listTokens({}, internalMetadata(INTERNAL_SECRET), deadline(), done),
    );
    return tokens.find(token => token.id === id)?.used ?? Number.NaN;
  } finally {
    client.close();
  }
}

/**
 * Sends `count` empty fetch requests to the internal port of a core, with the caller address `address`. Rejects if one
 * is refused.
 */
export async function makeRequests(
  internal: string,
  { token, tier, email }: Credentials,
  count: number,
  address = '127.0.0.1',
): Promise<void> {
  const conversation = new FetchConversation(internal, internalMetadata(INTERNAL_SECRET));
  const call = { credentials: { token, tier, email }, caller: { address, domain: '' }, fetch: {} };
  for (let id = 1; id <= count; id++) {
    conversation.send({ ...call, id });
    const { error } = await conversation.next();
    if (error) throw new Error(`request ${id}: ${status[error.code]} ${error.message}`);
  }
  await conversation.end();
}
