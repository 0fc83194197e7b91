import { version } from '../version'
import type { Command } from './command'

export const openapi: Command = {
  name: 'openapi',
  summary: 'Print the OpenAPI document.',
  options: {},
  async run() {
    const { openApi } = await import('../http/openapi')
    console.log(JSON.stringify(openApi(version), null, 2))
  },
}
