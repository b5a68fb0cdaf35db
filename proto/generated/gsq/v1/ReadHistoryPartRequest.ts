// Original file: gsq/v1/cluster.proto

import type { HistoryRead as _gsq_v1_HistoryRead, HistoryRead__Output as _gsq_v1_HistoryRead__Output } from '../../gsq/v1/HistoryRead.ts';

export interface ReadHistoryPartRequest {
  'reads'?: (_gsq_v1_HistoryRead)[];
}

export interface ReadHistoryPartRequest__Output {
  'reads': (_gsq_v1_HistoryRead__Output)[];
}
