import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { processNames } from '../system/stack-settings.ts';

for (const name of processNames) {
  test(`the systemd unit of the ${name} process has the same start command as npm run ${name}`, () => {
    const unit = readFileSync(new URL(`../../deploy/systemd/gsq-${name}.service`, import.meta.url), 'utf8');
    const [, directory] = /^WorkingDirectory=(.*)$/m.exec(unit) ?? [];
    const [, start] = /^ExecStart=(.*)$/m.exec(unit) ?? [];
    const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    assert.equal(`exec ${start?.replace(`${directory}/`, '')}`, scripts[name]);
  });
}
