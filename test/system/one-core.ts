/**
 * Reasons why tests cannot hold on a test stack with several cores (TEST_CORES). Each such test is skipped there, and
 * the test runner prints the reason.
 */
const REASONS = {
  stoppedCore: 'stops the only core: with several cores, another core answers instead',
} as const;

/**
 * Returns the value of the option `skip` of a test that needs a stack with one core: the reason if TEST_CORES asks for
 * several cores, or else false.
 */
export function needsOneCore(reason: keyof typeof REASONS): string | false {
  const { TEST_STORE, TEST_CORES = '1' } = process.env;
  return TEST_STORE !== undefined && TEST_CORES !== '1' && REASONS[reason];
}
