import { isIPv6 } from 'node:net'
import { readConfig } from '../config'
import { StartError } from '../store/engines/start-error'
import type { Command } from './command'

const PATIENCE_MS = 5_000
/** An address that means every one of this machine, as one that can be asked. */
const NEAR: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

export const health: Command = {
  name: 'health',
  summary: 'Ask the server on this machine whether it is ready: for health checks of containers.',
  options: {},
  async run() {
    const { host, port } = readConfig(process.env)
    const address = NEAR[host] ?? host
    const url = `http://${isIPv6(address) ? `[${address}]` : address}:${port}/readyz`
    const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch((error: Error) => error)
    if (answer instanceof Error) throw new StartError(`No answer from ${url}: ${answer.message}`)
    if (!answer.ok) throw new StartError(`${url} answers ${answer.status}: ${await answer.text()}`)
    console.log('ready')
  },
}
