import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTraceparent } from '../../runtime/trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test('parseTraceparent parses a traceparent header, even if the header has a later version with more fields', () => {
  const read = { traceId: TRACE, parentId: SPAN };
  for (const text of [
    `00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-ff`,
    `cc-${TRACE}-${SPAN}-01-what-else`,
  ]) {
    assert.deepEqual(parseTraceparent(text), read, text);
  }
});

test('parseTraceparent returns undefined for an invalid traceparent header', () => {
  for (const text of [
    '',
    TRACE,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    ` 00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01\n`,
    `cc-${TRACE}-${SPAN}-01-${'x'.repeat(10_000)}`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
  ]) {
    assert.equal(parseTraceparent(text), undefined, text);
  }
});
