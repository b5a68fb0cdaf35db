import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { incidentsBefore, incidentToken } from '../../../core/history/incident-token.ts';

const KEY = 'csgo 1.2.3.4:27015';
const AT = Date.UTC(2026, 4, 20, 13, 7, 31, 250);

describe('the page token of incidents', () => {
  it('contains the start of the last incident of this page, so the next page contains only earlier incidents', () => {
    assert.equal(incidentsBefore(KEY, incidentToken(KEY, AT)), AT);
  });

  it('is empty for the first page', () => {
    assert.equal(incidentsBefore(KEY, ''), Number.POSITIVE_INFINITY);
  });

  it('is refused for a different server', () => {
    assert.throws(() => incidentsBefore('csgo 1.2.3.4:27016', incidentToken(KEY, AT)), { code: 'QUERY_1' });
  });

  it('is refused if any character was changed, added or removed', () => {
    const token = incidentToken(KEY, AT);
    for (let i = 0; i < token.length; i++) {
      const other = token[i] === 'A' ? 'g' : 'A';
      const changed = token.slice(0, i) + other + token.slice(i + 1);
      assert.throws(() => incidentsBefore(KEY, changed), { code: 'QUERY_1' }, changed);
    }
    for (const text of [`${token}A`, token.slice(1), 'nonsense', '%', 'A'.repeat(10_000)])
      assert.throws(() => incidentsBefore(KEY, text), { code: 'QUERY_1' });
  });
});
