import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { Server } from '@grpc/grpc-js';
import { gameService } from '../../../core/rpc/game-service.ts';
import { listen } from '../../../core/rpc/grpc-server.ts';
import { Handlers } from '../../../core/rpc/handler.ts';
import { clients } from '../../../proto/clients.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import type { ListGamesResponse__Output } from '../../../proto/generated/gsq/v1/ListGamesResponse.ts';
import { formatEndpoint } from '../../../runtime/endpoint.ts';
import { catalogOf, fixture } from '../catalog/catalog-fixture.ts';
import { unary } from './answer.ts';

test('ListGames returns a cache lifetime of at most 24 hours if the clock was set back and the reload of the catalog fails', async t => {
  const file = fixture(catalogOf('a'));
  const handlers = new Handlers(
    () => {},
    () => {},
  );
  const server = new Server();
  server.addService(
    gsqV1.GameService.service,
    gameService(await file.load(), handlers, () => file.at),
  );
  const endpoint = await listen(server, 'GSQ_GRPC_ADDR', { host: '127.0.0.1', port: 0 });
  const client = clients.game(formatEndpoint(endpoint));
  t.after(() => {
    client.close();
    server.forceShutdown();
  });
  file.at -= 3_600_000;
  rmSync(file.path);
  const { maxAgeSeconds } = await unary<ListGamesResponse__Output>(done => client.listGames({}, done));
  assert.equal(maxAgeSeconds, 86_400);
});
