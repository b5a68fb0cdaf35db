import type { ServiceDefinition } from '@grpc/grpc-js';
import type { ByteWriter } from '../codec/byte-writer.ts';
import { LEN, WireError, WireReader } from '../codec/wire-reader.ts';
import { gsqV1 } from '../descriptors.ts';
import {
  decodeRenderServersRequest,
  RenderServersRequestFields,
  RenderServersResponseFields,
  ServerGroupFields,
} from '../generated/codec/fetch.ts';
import { decodeJsonStreamRequest } from '../generated/codec/json.ts';

const identity = (message: Buffer): Buffer => message;

/**
 * The gRPC definition of gsq.v1.ClusterService for the core. Generated code decodes the requests of JsonStream.
 * The handlers of JsonStream and RenderServers return encoded responses.
 */
export const clusterServiceDefinition: ServiceDefinition = {
  ...gsqV1.ClusterService.service,
  JsonStream: {
    ...gsqV1.ClusterService.service.JsonStream,
    requestDeserialize: decodeJsonStreamRequest,
    responseSerialize: identity,
  },
  RenderServers: {
    ...gsqV1.ClusterService.service.RenderServers,
    requestDeserialize: decodeRenderServersRequest,
    responseSerialize: identity,
  },
};

/** gRPC definition of the method RenderServers, for a client. Requests and responses are passed as encoded bytes. */
export const renderServersMethod = {
  path: gsqV1.ClusterService.service.RenderServers.path,
  serialize: identity,
  deserialize: identity,
};

/** Encodes a RenderServersRequest, one game server after another. */
export class RenderRequestWriter {
  readonly #writer: ByteWriter;
  #gameId = '';
  #groupStart = 0;

  /**
   * Begins a new RenderServersRequest in `writer`, which must be empty. `typed`: true to request protobuf, false for
   * JSON.
   */
  constructor(writer: ByteWriter, typed: boolean) {
    this.#writer = writer;
    writer.uintField(RenderServersRequestFields.typed, typed ? 1 : 0);
  }

  /**
   * Adds a game server to the request. `text` contains its address between the offsets `start` and `end`. The address
   * must not be empty.
   */
  add(gameId: string, text: Buffer, start: number, end: number): void {
    const writer = this.#writer;
    if (gameId !== this.#gameId) {
      this.#endGroup();
      this.#gameId = gameId;
      this.#groupStart = writer.openField(RenderServersRequestFields.servers);
      writer.textField(ServerGroupFields.gameId, gameId);
    }
    writer.bytesField(ServerGroupFields.servers, text, start, end);
  }

  /** Completes the encoding of the RenderServersRequest, and returns the encoded bytes. */
  takeBytes(): Buffer {
    this.#endGroup();
    return this.#writer.takeBytes();
  }

  #endGroup(): void {
    if (this.#groupStart > 0) this.#writer.closeField(this.#groupStart);
  }
}

/**
 * Begins the next server in a RenderServersResponse. The caller then writes the server, and passes the returned value
 * to `writer.closeField` to end it.
 */
export function openRenderedServer(writer: ByteWriter): number {
  return writer.openField(RenderServersResponseFields.servers);
}

/**
 * Writes the entity tags of all servers into the RenderServersResponse in `writer`. `tags`: one tag after another,
 * `TAG_BYTES` bytes each.
 */
export function writeTags(writer: ByteWriter, tags: ByteWriter): void {
  writer.messageField(RenderServersResponseFields.tags, tags);
}

/**
 * Length of the entity tag of one server in a RenderServersResponse, in bytes. The entity tag changes whenever the JSON
 * of the server changes.
 */
export const TAG_BYTES = 8;

/** A decoded RenderServersResponse. */
export interface RenderedServers {
  /** The encoded bytes of the whole RenderServersResponse. */
  readonly bytes: Buffer;
  /** Start and end offsets of each rendered server in `bytes`: two numbers per server. */
  readonly spans: readonly number[];
  /**
   * Offset in `bytes` where the entity tags start: `TAG_BYTES` bytes for each server. Only a response with JSON has
   * tags.
   */
  readonly tagsStart: number;
}

/**
 * Decodes a RenderServersResponse. Returns undefined if it is not a valid response for `count` servers. `typed`: true
 * if protobuf was requested, false if JSON.
 */
export function readRendered(bytes: Buffer, count: number, typed: boolean): RenderedServers | undefined {
  const reader = new WireReader(bytes);
  const spans: number[] = [];
  let tagsStart = 0;
  let tagsEnd = 0;
  try {
    while (reader.next()) {
      if (reader.type !== LEN) continue;
      if (reader.field === RenderServersResponseFields.servers) spans.push(reader.start, reader.end);
      else if (reader.field === RenderServersResponseFields.tags) {
        tagsStart = reader.start;
        tagsEnd = reader.end;
      }
    }
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
  const hasTags = typed || tagsEnd - tagsStart === TAG_BYTES * count;
  return hasTags && spans.length === 2 * count ? { bytes, spans, tagsStart } : undefined;
}
