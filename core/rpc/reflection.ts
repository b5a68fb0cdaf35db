import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import type { Server } from '@grpc/grpc-js';
import type { PackageDefinition } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { descriptorImage } from '../../proto/descriptors.ts';

/**
 * Adds gRPC server reflection (v1 and v1alpha) for these services. It uses the descriptors that buf compiled, because
 * the descriptors of proto-loader lack the imports between the files.
 */
export function addReflection(server: Server, services: readonly string[]): void {
  const { file } = fromBinary(FileDescriptorSetSchema, descriptorImage);
  const fileDescriptorProtos = file.map(descriptor =>
    Buffer.from(toBinary(FileDescriptorProtoSchema, descriptor)),
  );
  const files: PackageDefinition = {
    // @grpc/reflection reads only `fileDescriptorProtos`. The other values are placeholders.
    gsq: { format: 'Protocol Buffer 3 EnumDescriptorProto', type: {}, fileDescriptorProtos },
  };
  new ReflectionService(files, { services: [...services] }).addToServer(server);
}
