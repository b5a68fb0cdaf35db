import {
  createFileRegistry,
  type DescEnum,
  type DescExtension,
  type DescFile,
  type DescMessage,
  type DescService,
  fromBinary,
  toBinary,
} from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { type Server, status } from '@grpc/grpc-js';
import { descriptorImage, grpcReflectionV1 } from '../../proto/descriptors.ts';
import type { ServerReflectionRequest__Output } from '../../proto/generated/grpc/reflection/v1/ServerReflectionRequest.ts';
import type { ServerReflectionResponse } from '../../proto/generated/grpc/reflection/v1/ServerReflectionResponse.ts';
import type { Handlers } from './handler.ts';
import { streamEnd } from './stream-end.ts';

/**
 * The versions of the gRPC reflection protocol. Their messages are the same, and only the name of the protobuf package
 * differs.
 */
const VERSIONS = ['v1', 'v1alpha'];

/**
 * The .proto file with the types of error details. Clients look up these types by reflection. No service declaration
 * mentions the types, so this file must be added explicitly.
 */
const ERROR_DETAILS = 'google/rpc/error_details.proto';

/**
 * Adds gRPC server reflection (v1 and v1alpha) to `server`. Reflection describes the gRPC services in `services`, and
 * itself. Callers can read only the .proto files that these services need. Streams end when `closing` is aborted.
 */
export function addReflection(
  server: Server,
  services: readonly string[],
  handlers: Handlers,
  closing: AbortSignal,
): void {
  const own = VERSIONS.map(version => `grpc.reflection.${version}.ServerReflection`);
  const visible = new VisibleFiles([...services, ...own]);
  const ServerReflectionInfo = handlers.bidi<ServerReflectionRequest__Output, ServerReflectionResponse>(
    async stream => {
      const sent = new Set<DescFile>();
      stream.on('data', (request: ServerReflectionRequest__Output) => {
        if (closing.aborted) return;
        stream.write({ validHost: request.host, originalRequest: request, ...visible.answer(request, sent) });
      });
      await streamEnd(stream, closing);
    },
  );
  const { ServerReflectionInfo: method } = grpcReflectionV1.ServerReflection.service;
  for (const name of own) {
    const path = `/${name}/ServerReflectionInfo`;
    server.addService({ ServerReflectionInfo: { ...method, path } }, { ServerReflectionInfo });
  }
}

/** Answers reflection requests about some services. Contains the .proto files that these services need. */
class VisibleFiles {
  readonly #services: readonly string[];
  readonly #registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorImage));
  /** Each .proto file that callers can see, encoded as a google.protobuf.FileDescriptorProto. */
  readonly #files = new Map<DescFile, Buffer>();

  constructor(services: readonly string[]) {
    this.#services = services;
    const roots = [...services.map(name => this.#declaring(name)), this.#registry.getFile(ERROR_DETAILS)];
    for (const file of roots.flatMap(root => (root ? withImports(root) : []))) {
      // The encoded .proto file keeps options that this program does not know, such as `google.api.http`, because
      // @bufbuild/protobuf preserves unknown fields.
      this.#files.set(file, Buffer.from(toBinary(FileDescriptorProtoSchema, file.proto)));
    }
  }

  /**
   * Returns the reply to a reflection request. The caller of this method adds the fields `validHost` and
   * `originalRequest`. A reply with a .proto file also contains the files that this file imports, except the files in
   * `sent`, which the stream has already sent. Adds the files of the reply to `sent`.
   */
  answer(request: ServerReflectionRequest__Output, sent: Set<DescFile>): ServerReflectionResponse {
    switch (request.messageRequest) {
      case 'listServices':
        return { listServicesResponse: { service: this.#services.map(name => ({ name })) } };
      case 'fileByFilename':
        return this.#reply(this.#registry.getFile(request.fileByFilename ?? ''), sent);
      case 'fileContainingSymbol':
        return this.#reply(this.#declaring(request.fileContainingSymbol ?? ''), sent);
      case 'fileContainingExtension': {
        const { containingType = '', extensionNumber = 0 } = request.fileContainingExtension ?? {};
        const extended = this.#registry.getMessage(containingType);
        return this.#reply(extended && this.#registry.getExtensionFor(extended, extensionNumber)?.file, sent);
      }
      case 'allExtensionNumbersOfType':
        return this.#extensionsOf(request.allExtensionNumbersOfType ?? '');
      default:
        return errorReply(status.INVALID_ARGUMENT, 'The request has none of the fields of message_request.');
    }
  }

  /**
   * Returns the file that declares a symbol. A symbol is the name of a type or a service, or of a member such as a
   * field or a method. Returns undefined if no file declares the symbol.
   */
  #declaring(symbol: string): DescFile | undefined {
    const found = this.#registry.get(symbol);
    if (found) return found.file;
    const dot = symbol.lastIndexOf('.');
    const parent = this.#registry.get(symbol.slice(0, dot));
    const member = symbol.slice(dot + 1);
    return parent && membersOf(parent).some(({ name }) => name === member) ? parent.file : undefined;
  }

  #reply(file: DescFile | undefined, sent: Set<DescFile>): ServerReflectionResponse {
    if (!file || !this.#files.has(file)) return NOT_FOUND;
    const files = [file, ...withImports(file).filter(each => each !== file && !sent.has(each))];
    for (const each of files) sent.add(each);
    return {
      fileDescriptorResponse: { fileDescriptorProto: files.flatMap(each => this.#files.get(each) ?? []) },
    };
  }

  #extensionsOf(typeName: string): ServerReflectionResponse {
    const extended = this.#registry.getMessage(typeName);
    if (!extended || !this.#files.has(extended.file)) return NOT_FOUND;
    const extensionNumber = [...this.#registry].flatMap(type =>
      type.kind === 'extension' && type.extendee === extended && this.#files.has(type.file)
        ? type.number
        : [],
    );
    return { allExtensionNumbersResponse: { baseTypeName: typeName, extensionNumber } };
  }
}

const NOT_FOUND = errorReply(status.NOT_FOUND, 'No file of the public services declares this.');

/** Returns a .proto file and all files that it imports, directly or indirectly. */
function withImports(file: DescFile): DescFile[] {
  const found = new Set([file]);
  // The loop adds imported files to `found` while it iterates over `found`. A Set also iterates over elements that are
  // added during the loop.
  for (const each of found) for (const imported of each.dependencies) found.add(imported);
  return [...found];
}

function membersOf(type: DescMessage | DescEnum | DescExtension | DescService): readonly { name: string }[] {
  switch (type.kind) {
    case 'service':
      return type.methods;
    case 'message':
      return type.fields;
    default:
      return [];
  }
}

function errorReply(errorCode: status, errorMessage: string): ServerReflectionResponse {
  return { errorResponse: { errorCode, errorMessage } };
}
