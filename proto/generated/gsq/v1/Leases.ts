// Original file: gsq/v1/probe.proto

import type { Lease as _gsq_v1_Lease, Lease__Output as _gsq_v1_Lease__Output } from '../../gsq/v1/Lease.ts';

export interface Leases {
  'leases'?: (_gsq_v1_Lease)[];
}

export interface Leases__Output {
  'leases': (_gsq_v1_Lease__Output)[];
}
