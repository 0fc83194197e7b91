import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { world } from './world'

test('columns named is_… are booleans in rows and values, and 0 or 1 in the database', async () => {
  const { server, root, ada, workspaceKey } = await world()
  await root.members.update({ id: ada.id, is_deactivated: true })
  const app = await root.apps.create({ name: 'Robot' })
  const read = (condition: boolean) =>
    server.parley.engine.read((db) =>
      db
        .selectFrom('authors as a')
        .leftJoin('members as m', 'm.author_key', 'a.key')
        .where('a.workspace_key', '=', workspaceKey)
        .where((eb) => eb.or([eb('m.is_deactivated', '=', condition), eb('m.is_deactivated', 'is', null)]))
        .select(['a.id', 'm.is_deactivated', sql<number | null>`m.is_deactivated + 10`.as('stored')])
        .orderBy('a.name')
        .execute(),
    )
  const [deactivated, active] = [await read(true), await read(false)]
  expect(deactivated.filter((row) => row.is_deactivated !== null)).toEqual([
    { id: ada.id, is_deactivated: true, stored: 11 },
  ])
  expect(deactivated).toContainEqual({ id: app.id, is_deactivated: null, stored: null })
  expect(active).toContainEqual({ id: root.id, is_deactivated: false, stored: 10 })
})
