import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { type Fleet, startFleet } from '../../../cli/demo/fleet.ts';
import { openApiFiles } from '../../../scripts/openapi/files.ts';
import type { Schema } from '../../../scripts/openapi/schema.ts';
import { type Answer, ask } from '../../gateway/ask.ts';
import { Stack } from '../../system/stack.ts';
import { bootstrap } from '../../system/stack-settings.ts';
import { until } from '../../system/until.ts';
import { credentialHeaders, FETCH, post } from '../rest.ts';
import { type Operation, operationsOf, readDocument, strict } from './operations.ts';

const document = readDocument();
const GAME = 'counterstrike2';

/** Asserts that a value matches a schema of the OpenAPI document, and has only properties that the schema names. */
function assertMatches(schema: Schema, value: unknown, what: string): void {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  const isValid = ajv.validate(
    { ...strict(schema), components: strict(document.components as Schema) },
    value,
  );
  assert.ok(isValid, `${what}: ${ajv.errorsText()} in ${JSON.stringify(value).slice(0, 600)}`);
}

describe('the OpenAPI document', () => {
  it('is up to date: npm run openapi would change neither the document nor the types of the client', () => {
    for (const [name, text] of openApiFiles())
      assert.equal(readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8'), text, name);
  });

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document) as never);
    assert.ok(valid, JSON.stringify(errors));
    assert.equal(validator.version, '3.1');
  });

  it('gives each operation a unique id', () => {
    const ids = operationsOf(document, new Map()).map(({ id }) => id);
    assert.deepEqual([...new Set(ids)], ids);
  });
});

describe('the example requests of the OpenAPI document', () => {
  let stack: Stack;
  let fleet: Fleet;
  let operations: readonly Operation[];
  before(async () => {
    stack = await Stack.start({ processes: ['core', 'gateway', 'prober'], env: { GSQ_PAGE: 'on' } });
    fleet = await startFleet({
      plan: [
        {
          ...{ gameId: GAME, protocol: 'a2s', name: 'Example', map: 'de_dust2', version: '1' },
          ...{ maxplayers: 20, players: 3, port: 0 },
        },
      ],
      now: Date.now,
      random: () => 0.5,
    });
    const address = fleet.servers[0]?.address ?? '';
    const body = JSON.stringify({ servers: [{ game_id: GAME, servers: [address, 'never.invalid'] }] });
    await until(
      'the server is online',
      () => post(stack.http, { body }),
      ({ json }) => (json[address] as { name?: string } | undefined)?.name === 'Example',
    );
    const webhook = await post(stack.http, {
      path: '/v1/webhooks',
      body: JSON.stringify({
        url: 'http://127.0.0.1:27099/hook',
        servers: [{ game_id: GAME, servers: [address] }],
        events: [{ event: 'players_over', players: 3, for: '3m' }],
      }),
    });
    const { id } = webhook.json.webhook as { id: string };
    operations = operationsOf(
      document,
      new Map([
        ['127.0.1.1:27515', address],
        [encodeURIComponent('127.0.1.1:27515'), encodeURIComponent(address)],
        ['whk_0123456789abcdef', id],
        ['127.0.0.1:8443', '127.0.0.1:27099'],
        ['http://127.0.0.1:8080', `http://${stack.http}`],
      ]),
    );
  });
  after(async () => {
    await stack?.stop();
    await fleet?.stop();
  });

  /**
   * Sends the example request of an operation in the OpenAPI document. If the answer is an event stream, reads only its
   * first event.
   */
  async function answerOf({ method, target, body, needsToken, mediaType }: Operation): Promise<Answer> {
    const headers = {
      ...(needsToken && credentialHeaders(bootstrap)),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    };
    if (mediaType !== 'text/event-stream')
      return ask(stack.http, { method, path: target, headers, ...(body !== undefined && { body }) });
    const response = await fetch(`http://${stack.http}${target}`);
    const chunk = await response.body?.getReader().read();
    const text = Buffer.from(chunk?.value ?? []).toString();
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      bytes: Buffer.alloc(0),
      text,
      json: {},
    };
  }

  it('get answers that match the document', async () => {
    // Sends all DELETE requests after the other requests, because one DELETE request deletes a webhook that other
    // requests use.
    const order = operations.toSorted(
      (a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'),
    );
    for (const operation of order) {
      const what = `${operation.method} ${operation.target}`;
      const answer = await answerOf(operation);
      assert.equal(answer.status, 200, `${what}: ${answer.text}`);
      assert.equal(String(answer.headers['content-type']).split(';')[0], operation.mediaType, what);
      const isJson = operation.mediaType === 'application/json';
      assertMatches(operation.answer, isJson ? JSON.parse(answer.text) : answer.text, what);
    }
  });

  it('are refused with an error in the documented format if the test makes them invalid', async () => {
    const error: Schema = { $ref: '#/components/schemas/ErrorBody' };
    for (const operation of operations.filter(({ target }) => target.startsWith('/v1/'))) {
      const path = `${operation.target}${operation.target.includes('?') ? '&' : '?'}nonsense=1`;
      const answer = await ask(stack.http, { method: operation.method === 'GET' ? 'GET' : 'PUT', path });
      if (answer.status === 200) continue;
      assertMatches(error, answer.json, path);
    }
    assertMatches(error, (await post(stack.http, { path: FETCH, body: '{"servers": 1}' })).json, 'fetch');
  });
});
