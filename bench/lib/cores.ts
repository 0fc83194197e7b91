import { availableParallelism } from 'node:os'

const canPin = process.platform === 'linux' && Bun.which('taskset') !== null && availableParallelism() >= 2

/** Whether servers and load run on cores of their own, so that neither takes from the other. */
export const coresNote = canPin
  ? 'The server runs on one core, the load generator on another.'
  : 'Without `taskset` and a second core, the server and the load generator share what there is.'

/** 0 for servers, 1 for who asks them. */
export type Cores = 0 | 1 | 'anywhere'

/** A command that runs on one core, or on any. */
export const onCore = (core: Cores, command: string[]): string[] =>
  canPin && core !== 'anywhere' ? ['taskset', '-c', String(core), ...command] : command
