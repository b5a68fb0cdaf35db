import type { TestContext } from 'node:test';
import type { AddServersRequest } from '../../../proto/generated/gsq/v1/AddServersRequest.ts';
import type { AddServersResponse__Output } from '../../../proto/generated/gsq/v1/AddServersResponse.ts';
import type { CheckServersResponse__Output } from '../../../proto/generated/gsq/v1/CheckServersResponse.ts';
import type { CreateTokenRequest } from '../../../proto/generated/gsq/v1/CreateTokenRequest.ts';
import type { CreateTokenResponse__Output } from '../../../proto/generated/gsq/v1/CreateTokenResponse.ts';
import type { GetStatsResponse__Output } from '../../../proto/generated/gsq/v1/GetStatsResponse.ts';
import type { ListServersRequest } from '../../../proto/generated/gsq/v1/ListServersRequest.ts';
import type { ListServersResponse__Output } from '../../../proto/generated/gsq/v1/ListServersResponse.ts';
import type { ListTokensResponse__Output } from '../../../proto/generated/gsq/v1/ListTokensResponse.ts';
import type { RemoveServersResponse__Output } from '../../../proto/generated/gsq/v1/RemoveServersResponse.ts';
import { unary } from './answer.ts';
import { runningCore } from './running-core.ts';

/** A valid request that creates a token. */
export const wish: CreateTokenRequest = { tier: 'PRO', email: 'Bob@example.com' };

/** Returns the field `servers` of a request, with these servers of the game csgo. */
export const csgo = (...servers: string[]) => ({ servers: [{ gameId: 'csgo', servers }] });

/**
 * Starts a core. Returns the core, an admin client for this core, and functions that call the methods of AdminService.
 */
export async function openedAdmin(t: TestContext) {
  const core = await runningCore(t, { games: ['csgo', 'css', 'palworld'] });
  const { admin } = core.client;
  return {
    ...core,
    admin,
    create: (request: CreateTokenRequest) =>
      unary<CreateTokenResponse__Output>(done => admin.createToken(request, done)),
    listTokens: () => unary<ListTokensResponse__Output>(done => admin.listTokens({}, done)),
    stats: () => unary<GetStatsResponse__Output>(done => admin.getStats({}, done)),
    list: (request: ListServersRequest) =>
      unary<ListServersResponse__Output>(done => admin.listServers(request, done)),
    add: (request: AddServersRequest) =>
      unary<AddServersResponse__Output>(done => admin.addServers(request, done)),
    check: (request: AddServersRequest) =>
      unary<CheckServersResponse__Output>(done => admin.checkServers(request, done)),
    remove: (request: ReturnType<typeof csgo>) =>
      unary<RemoveServersResponse__Output>(done => admin.removeServers(request, done)),
  };
}
