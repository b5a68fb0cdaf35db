import type { Logger } from '../../runtime/log.ts';
import { type ActObject, acts, webhookActs } from './admin-acts.ts';
import { type CallEnd, millisecondsSince } from './call-journal.ts';
import { originOfMetadata } from './call-origin.ts';
import { type Operator, type OperatorCall, operatorOf } from './operator.ts';
import { isOperator } from './readers.ts';

const PATH = '/gsq.v1.AdminService/';
const HOOK_PATH = '/gsq.v1.WebhookService/';

/** A call of a method of the internal port. */
interface ActCall extends OperatorCall {
  getPath(): string;
  /** The request message; absent if the method takes a stream of messages. */
  request?: unknown;
}

type Entry = [path: string, describe: DescribeAny];

/** Describes an administrative call (act) for the audit log. The types of the parameters depend on the method. */
type DescribeAny = (request: never, answer: never) => ActObject;

/** Writes one line for each administrative act: who did what, to which object, with which outcome. */
export class AuditLog {
  readonly #log: Logger;
  readonly #acts: ReadonlyMap<string, DescribeAny> = new Map([
    ...Object.entries(acts).map(([method, describe]): Entry => [PATH + method, describe as DescribeAny]),
    ...Object.entries(webhookActs).map(
      ([method, describe]): Entry => [HOOK_PATH + method, describe as DescribeAny],
    ),
  ]);

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * Returns the administrative act of a call whose handler has not run yet. Returns undefined if the method of the call
   * only reads.
   */
  begin(call: ActCall): Act | undefined {
    const describe = this.#acts.get(call.getPath());
    if (call.getPath().startsWith(HOOK_PATH) && !isOperator(call)) return undefined;
    return describe && new Act(this.#log, call, describe);
  }
}

/**
 * An administrative act. Create this object before the act is done, because grpc-js forgets the connection and the
 * certificate of a caller who hangs up.
 */
export class Act {
  readonly operator: Operator;
  readonly #log: Logger;
  readonly #call: ActCall;
  readonly #describe: DescribeAny;

  constructor(log: Logger, call: ActCall, describe: DescribeAny) {
    this.operator = operatorOf(call);
    this.#log = log;
    this.#call = call;
    this.#describe = describe;
  }

  /** Logs an administrative act that has ended. `answer`: the answer to the call; undefined if the act failed. */
  logEnd(answer: unknown, outcome: CallEnd, began: number): void {
    this.#log.info(
      {
        audit: true,
        act: this.#call.getPath().replace(/^.*\//, ''),
        ...this.operator,
        object: this.#object(answer),
        outcome,
        ...originOfMetadata(this.#call.metadata),
        ms: millisecondsSince(began),
      },
      'audit',
    );
  }

  /**
   * Returns the object of an administrative act. The act has already ended, so an error in this method must neither
   * change the answer to the call nor suppress the log line of the act.
   */
  #object(answer: unknown): ActObject {
    try {
      return this.#describe(this.#call.request as never, answer as never);
    } catch {
      return { error: 'the object of the act cannot be described' };
    }
  }
}
