// Original file: gsq/v1/admin.proto

import type { FirewallLabel as _gsq_v1_FirewallLabel, FirewallLabel__Output as _gsq_v1_FirewallLabel__Output } from '../../gsq/v1/FirewallLabel.ts';
import type { Long } from '@grpc/proto-loader';

export interface LabelCount {
  'label'?: (_gsq_v1_FirewallLabel);
  'servers'?: (number | string | Long);
}

export interface LabelCount__Output {
  'label': (_gsq_v1_FirewallLabel__Output);
  'servers': (number);
}
