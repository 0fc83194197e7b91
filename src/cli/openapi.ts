import { openApi } from '../http/openapi'
import { version } from '../version'
import type { Command } from './command'

export const openapi: Command = {
  name: 'openapi',
  summary: 'Print the OpenAPI document.',
  options: {},
  async run() {
    console.log(JSON.stringify(openApi(version), null, 2))
  },
}
