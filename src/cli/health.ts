import { isIPv6 } from 'node:net'
import { readConfig } from '../config'
import { StartError } from '../store/engines/start-error'
import type { Command } from './command'

const TIMEOUT_MS = 5_000
/** The loopback address to connect to if the server listens on all addresses. */
const LOOPBACK: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

export const health: Command = {
  name: 'health',
  summary: 'Check that the server on this machine is ready, for health checks of containers.',
  options: {},
  async run() {
    const { host, port } = readConfig(process.env)
    const address = LOOPBACK[host] ?? host
    const url = `http://${isIPv6(address) ? `[${address}]` : address}:${port}/readyz`
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error: Error) => error)
    if (answer instanceof Error) throw new StartError(`No response from ${url}: ${answer.message}`)
    if (!answer.ok) throw new StartError(`${url} responded with ${answer.status}: ${await answer.text()}`)
    console.log('ready')
  },
}
