import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { acceptsGzip } from '../../../gateway/http/accept-encoding.ts';

const compressed = [
  undefined,
  'gzip',
  'GZIP',
  'x-gzip',
  '*',
  'br',
  'deflate, br',
  'gzip, deflate, br',
  'gzip;q=0.001',
  'gzip; q=1.000, identity',
  'identity;q=0.5, gzip',
  'identity, *',
  'identity;q=0',
  'identity;q=0, *',
  '*;q=0, gzip',
  ';;;,',
];
const plain = [
  '',
  ' ',
  'identity',
  'Identity;q=1',
  'gzip;q=0',
  'gzip;q=0.000',
  'gzip ; q = 0',
  '*;q=0',
  'gzip;q=0, *',
  'identity, *;q=0',
  'br, identity',
];

describe('the header Accept-Encoding', () => {
  for (const header of compressed) {
    test(`with the value ${header ?? '(none)'} accepts gzip`, () => assert.equal(acceptsGzip(header), true));
  }
  for (const header of plain) {
    test(`with the value "${header}" refuses gzip`, () => assert.equal(acceptsGzip(header), false));
  }
});
