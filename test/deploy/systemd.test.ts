import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { nodeOptions } from '../../runtime/node-options.ts';
import { processNames } from '../system/stack.ts';

for (const name of processNames) {
  test(`the systemd unit of the ${name} starts it as npm run ${name} does`, () => {
    const unit = readFileSync(new URL(`../../deploy/systemd/gsq-${name}.service`, import.meta.url), 'utf8');
    const [, start] = /^ExecStart=\/usr\/bin\/env (.*)$/m.exec(unit) ?? [];
    assert.equal(start, ['node', ...nodeOptions[name], '--import', 'tsx', `${name}/main.ts`].join(' '));
    const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    assert.equal(scripts[name], start);
  });
}
