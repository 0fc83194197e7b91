import { describe, expect, test } from 'bun:test'
import { findWorkspace, setWorkspace } from '../src/store/people/workspaces'
import type { Client } from './client'
import { expectInvalid, expectRefusals, idOf, timestamp } from './expectations'
import { problem } from './http/wire'
import { picture } from './me/pictures'
import { startTestServer } from './server'
import { world } from './world'

describe('workspace.update', () => {
  test('renames the workspace, for everyone', async () => {
    const { root, gus, zed, slug, events } = await world()
    const renamed = await root.workspace.update({ name: '  Analytical \n Engines ' })
    expect(renamed).toEqual({
      ...{ id: idOf('ws'), slug, name: 'Analytical Engines' },
      ...{ icon_url: null, created_at: timestamp, updated_at: timestamp, is_set_up: true },
      channel_mentions: 'members' as const,
      members_create_channels: true,
    })
    expect(await gus.workspace.get()).toEqual(renamed)
    expect((await gus.me.get()).workspace).toEqual(renamed)
    expect((await zed.workspace.get()).name).not.toBe('Analytical Engines')
    expect(await events()).toEqual(['workspace.updated'])
    const heard = (await gus.events.list({ types: ['workspace.updated'] })).data
    expect(heard.map(({ data }) => data)).toEqual([renamed])
  })

  test('finishes setting it up, once', async () => {
    const { root, events } = await world()
    expect((await root.workspace.update({ is_set_up: false })).is_set_up).toBe(false)
    expect((await root.workspace.update({ is_set_up: true })).is_set_up).toBe(true)
    expect((await root.workspace.update({ is_set_up: true, name: undefined })).is_set_up).toBe(true)
    expect(await events()).toEqual(['workspace.updated', 'workspace.updated'])
  })

  test('only admins are allowed', async () => {
    const everyone = await world()
    for (const change of [
      (who: Client) => who.workspace.update({ name: 'Mine' }),
      (who: Client) => who.workspace.deleteIcon(),
    ])
      await expectRefusals(everyone, change, {
        ada: 'forbidden',
        vic: 'forbidden',
        gus: 'forbidden',
        bot: 'insufficient_scope',
        reader: 'insufficient_scope',
      })
    await expectInvalid(everyone.root.workspace.update({ name: ' ' }), 'name')
    await expectInvalid(everyone.root.workspace.update({ name: 'x'.repeat(101) }), 'name')
    await expectInvalid(everyone.root.workspace.update({ name: 'a\u202eb' }), 'name')
    expect(await everyone.events()).not.toContain('workspace.updated')
  })
})

describe('workspace.setIcon', () => {
  test('shows the picture until it is replaced or removed', async () => {
    const { root, ada, events } = await world()
    await root.workspace.setIcon({ file: await picture() })
    const first = (await ada.workspace.get()).icon_url!
    expect(first).toMatch(/\/avatars\/112\/pic_[0-9a-f]{32}\.webp$/)
    const response = await fetch(first)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp'])
    const { width, height } = await new Bun.Image(await response.arrayBuffer()).metadata()
    expect([width, height]).toEqual([112, 112])

    await root.workspace.setIcon({ file: await picture() })
    const second = (await ada.workspace.get()).icon_url!
    expect([(await fetch(first)).status, (await fetch(second)).status]).toEqual([404, 200])
    await root.workspace.deleteIcon()
    await root.workspace.deleteIcon()
    expect((await ada.workspace.get()).icon_url).toBeNull()
    expect((await fetch(second)).status).toBe(404)
    expect(await events()).toEqual(Array(3).fill('workspace.updated'))
  })

  test('refuses what is no picture', async () => {
    const { root, raw, events } = await world()
    const send = (type: string) =>
      raw(root, '/v2/workspace/icon', { method: 'PUT', body: 'words', headers: { 'Content-Type': type } })
    await problem(await send('image/png'), 'invalid_input')
    await problem(await send('text/plain'), 'unsupported_media_type')
    expect(await events()).toEqual([])
  })
})

describe('the sign-in page', () => {
  test('names the workspace where there is one, and nothing where there are several', async () => {
    const server = await startTestServer()
    const page = async () => {
      const [html] = (await (await fetch(`${server.url}/sign-in`)).text()).match(/<html[^>]*>/)!
      return [/data-workspace="([^"]*)"/.exec(html)?.[1], /data-workspace-icon="([^"]*)"/.exec(html)?.[1]]
    }
    expect(await page()).toEqual(['Home', undefined])
    const { engine } = server.parley
    await engine.write(async (db) =>
      setWorkspace(db, (await findWorkspace(db, 'home'))!.key, { icon: 'pic_1.webp', updated_at: 1 }),
    )
    expect(await page()).toEqual(['Home', `${server.url}/avatars/112/pic_1.webp`])

    await world(server)
    expect(await page()).toEqual([undefined, undefined])
    await server.stop()
  })
})
