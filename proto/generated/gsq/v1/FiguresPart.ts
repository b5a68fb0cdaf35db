// Original file: gsq/v1/cluster.proto

import type { Long } from '@grpc/proto-loader';

export interface FiguresPart {
  'fromMs'?: (number | string | Long);
  'toMs'?: (number | string | Long);
  'knownMs'?: (number | string);
  'onlineMs'?: (number | string);
  'countedMs'?: (number | string);
  'playerMs'?: (number | string);
  'playersMax'?: (number);
}

export interface FiguresPart__Output {
  'fromMs': (number);
  'toMs': (number);
  'knownMs': (number);
  'onlineMs': (number);
  'countedMs': (number);
  'playerMs': (number);
  'playersMax': (number);
}
