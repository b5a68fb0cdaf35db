// Original file: gsq/v1/cluster.proto

import type { Long } from '@grpc/proto-loader';

export interface SealedHourPart {
  'hourMs'?: (number | string | Long);
  'samples'?: (Buffer | Uint8Array | string);
}

export interface SealedHourPart__Output {
  'hourMs': (number);
  'samples': (Buffer);
}
