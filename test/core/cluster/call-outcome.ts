import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { ServiceError as CallError, Client, Metadata } from '@grpc/grpc-js';
import { accountKeys } from '../../../proto/clients.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import { fromGrpcStatus } from '../../../proto/service-error.ts';
import { AccountCluster } from './account-cluster.ts';
import { passingPair } from './passing-core.ts';

type Done = (error: CallError | null, answer?: object) => void;

/**
 * Makes a unary gRPC call. Resolves to its answer, or to the code and the details of its error. `initial` in the result
 * contains the server's initial metadata, but only the values of `ratelimit` and of the keys in `accountKeys`.
 */
export async function outcomeOf(
  client: Client,
  service: 'AdminService' | 'WebhookService',
  method: string,
  request: object,
  metadata: Metadata,
) {
  const found = Object.entries(gsqV1[service].service).find(([name]) => name === method)?.[1];
  assert.ok(found, method);
  const initial: Record<string, unknown> = {};
  return new Promise<{ answer: unknown; code: string | undefined; details: unknown; initial: object }>(
    resolve => {
      const done: Done = (error, answer) => {
        const ours = error ? fromGrpcStatus(error) : undefined;
        resolve({
          answer,
          code: ours?.code,
          details: ours && { ...ours.details, message: ours.message },
          initial,
        });
      };
      const call = client.makeUnaryRequest(
        found.path,
        found.requestSerialize as (value: object) => Buffer,
        found.responseDeserialize as (value: Buffer) => object,
        request,
        metadata,
        done,
      );
      call.on('metadata', (received: Metadata) => {
        for (const key of [...Object.values(accountKeys), 'ratelimit'])
          if (received.get(key).length > 0) initial[key] = received.get(key).map(String);
      });
    },
  );
}

/**
 * Starts a cluster of two cores: the lead, which owns the accounts, and a core that passes calls on to the lead.
 * Creates a token of the tier FREE.
 */
export async function openedPair(t: TestContext, proxied = false) {
  const world = new AccountCluster(t);
  const pair = await passingPair(t, world, proxied);
  const made = await pair.lead.tokenService.create({
    ...{ tier: 'FREE', email: 'ann@example.com', expiresAt: 0, allowIps: [], allowDomains: [] },
  });
  const credentials = { token: made.secret, tier: 'FREE', email: 'ann@example.com' };
  return { world, ...pair, credentials, tokenId: made.token.id };
}
