/** Node's arguments for running a script of this project from any working directory. */
export function scriptArguments(path: string): string[] {
  return ['--import', import.meta.resolve('tsx'), path];
}
