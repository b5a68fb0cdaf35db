import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import type { Server } from '@grpc/grpc-js';
import type { PackageDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { descriptorImage } from '../../proto/descriptors.ts';

/**
 * Adds gRPC server reflection (v1 and v1alpha) for these services. It uses the descriptor image that buf compiled. The
 * descriptors of proto-loader are not suitable, because proto-loader regroups files by package and loses imports.
 */
export function addReflection(server: Server, services: readonly string[]): void {
  const { file } = fromBinary(FileDescriptorSetSchema, descriptorImage);
  const fileDescriptorProtos = file.map(descriptor =>
    Buffer.from(toBinary(FileDescriptorProtoSchema, descriptor)),
  );
  const files: PackageDefinition = {
    // @grpc/reflection reads only `fileDescriptorProtos` of each entry. Therefore one entry with all files is enough,
    // and its name and type have no meaning.
    gsq: { format: 'Protocol Buffer 3 EnumDescriptorProto', type: {}, fileDescriptorProtos },
  };
  new ReflectionService(files, { services: [...services] }).addToServer(server);
}
