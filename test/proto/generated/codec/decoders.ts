import assert from 'node:assert/strict';
import { createFileRegistry, type DescMessage, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { descriptorImage } from '../../../../proto/descriptors.ts';
import {
  decodeFetchServersRequest,
  decodeFetchStreamRequest,
  decodeFetchStreamResponse,
} from '../../../../proto/generated/codec/fetch.ts';
import { decodeSessionRequest, decodeSessionResponse } from '../../../../proto/generated/codec/probe.ts';

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorImage));
const typeOf = (name: string): DescMessage => {
  const type = registry.getMessage(`gsq.v1.${name}`);
  assert.ok(type);
  return type;
};
/** Each message type that has a generated decoder, and this decoder. */
export const decoders: [type: DescMessage, decode: (bytes: Buffer) => object][] = [
  [typeOf('FetchServersRequest'), decodeFetchServersRequest],
  [typeOf('FetchStreamRequest'), decodeFetchStreamRequest],
  [typeOf('FetchStreamResponse'), decodeFetchStreamResponse],
  [typeOf('SessionRequest'), decodeSessionRequest],
  [typeOf('SessionResponse'), decodeSessionResponse],
];
