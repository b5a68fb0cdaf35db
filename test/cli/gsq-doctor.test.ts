import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { gsq } from './gsq-command.ts';
import { withCore } from './running-core.ts';

describe('gsq doctor', () => {
  const env = withCore();

  test('reports that the ops endpoint of the core does not answer if another program uses the address of that endpoint', async t => {
    const other = createServer((_request, response) => response.end('# TYPE up gauge\nup 1\n'));
    t.after(() => other.close());
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
    const address = `127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { out } = await gsq({ ...env, GSQ_CORE_OPS_ADDR: address }, 'doctor', '--json');
    const findings = JSON.parse(out) as { what: string; ok: boolean; message: string }[];
    assert.ok(!findings.some(({ what }) => what === 'store' || what === 'history'), out);
    const core = findings.filter(({ what }) => what === 'core');
    assert.deepEqual(core[1], {
      what: 'core',
      ok: false,
      message: `its ops endpoint does not answer at ${address}; set the right address with GSQ_CORE_OPS_ADDR`,
    });
  });
});
