import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  encodeFrame,
  encodeHeader,
  HEADER_BYTES,
  SALT_BYTES,
} from '../../../../core/store/history-blobs/blob-format.ts';
import { BlobReader } from '../../../../core/store/history-blobs/blob-reader.ts';
import type { BlobSlice, SliceRequest } from '../../../../core/store/history-blobs/blob-store.ts';

const SLICE = 256 * 1024;
const salt = Buffer.alloc(SALT_BYTES, 7);

/**
 * Returns a history blob: a byte string with a header and `frames` entries of about 1 KB each. Each entry contains its
 * own index in place of the hash of a server.
 */
function blobOf(frames: number, generation: number): Buffer {
  const list = Array.from({ length: frames }, (_, i) => encodeFrame(i, Buffer.alloc(1_000 + (i % 50), i)));
  return Buffer.concat([encodeHeader({ generation, rolledBytes: 0, salt }), ...list]);
}

function sliceOf(blob: Buffer, { from, bytes }: SliceRequest): BlobSlice {
  return {
    length: blob.length,
    header: blob.subarray(0, HEADER_BYTES),
    bytes: blob.subarray(from, from + bytes),
  };
}

test('a large history blob (stored string) is read in slices of 256 KB, and its entries are visited once and in order', async () => {
  const blob = blobOf(2_000, 1);
  const requests: SliceRequest[] = [];
  const reader = new BlobReader({
    async readSlices(_bucket, slices) {
      requests.push(...slices);
      return slices.map(slice => sliceOf(blob, slice));
    },
  });
  const hashes: number[] = [];
  await reader.visit(1, ['minutes/2026-11-24T06'], () => hash => void hashes.push(hash));
  assert.deepEqual(hashes, [...Array(2_000).keys()]);
  assert.equal(requests.length, Math.ceil(blob.length / SLICE));
  assert.ok(requests.every(({ bytes }) => bytes === SLICE));
});

test('if a history blob (stored string) is replaced while it is read, the reader reads the new blob from the beginning', async () => {
  let reads = 0;
  const reader = new BlobReader({
    async readSlices(_bucket, slices) {
      const blob = ++reads < 3 ? blobOf(1_000, 1) : blobOf(1_200, 2);
      return slices.map(slice => sliceOf(blob, slice));
    },
  });
  let hashes: number[] = [];
  await reader.visit(1, ['minutes/2026-11-24T06'], () => {
    hashes = [];
    return hash => void hashes.push(hash);
  });
  assert.deepEqual(hashes, [...Array(1_200).keys()]);
});
