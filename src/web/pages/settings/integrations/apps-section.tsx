import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { ApiError } from '../../../../client'
import type { App } from '../../../../contract/apps'
import { createApp, deleteApp, useApps } from '../../../data/integrations'
import { Avatar } from '../../../parts/avatar'
import { Button } from '../../../parts/button'
import { useConfirm } from '../../../parts/dialog'
import { getFieldError, NameField } from '../../../parts/field'
import { FormDialog } from '../../../parts/form-dialog'
import { Empty, ProblemNote } from '../../../parts/states'
import { Time } from '../../../parts/time'
import { paths } from '../../../paths'
import { PageTitle } from '../../../shell/title'
import { RowSkeleton } from '../parts'
import { Tokens } from './tokens'

/** The apps of the workspace, or one app with its tokens. */
export function AppsSection({ openId }: { openId: string | undefined }) {
  const apps = useApps()
  const open = apps.data?.find(({ id }) => id === openId)
  if (apps.error && !apps.data) return <ProblemNote error={apps.error} retry={() => void apps.refetch()} />
  if (!apps.data) return <RowSkeleton what="apps" />
  if (!openId) return <AppList apps={apps.data} />
  if (open) return <AppDetails key={openId} app={open} />
  return (
    <>
      <PageTitle title="App" />
      <Empty title="App not found">It may have been deleted.</Empty>
    </>
  )
}

function AppList({ apps }: { apps: App[] }) {
  const [isCreating, setCreating] = useState(false)
  const [, navigate] = useLocation()
  const newApp = (
    <Button icon="plus" onClick={() => setCreating(true)}>
      New app
    </Button>
  )
  return (
    <>
      <p className="meta">An app posts under its own name and has its own tokens.</p>
      {apps.length === 0 ? (
        <Empty title="No apps yet" action={newApp}>
          Create one for each program that posts here.
        </Empty>
      ) : (
        <>
          <ul className="rows" aria-label="Apps">
            {apps.map((app) => (
              <li key={app.id} className="rows-item">
                <div className="row">
                  <Avatar of={{ ...app, type: 'app' }} size={32} />
                  <div>
                    <p className="rows-name">
                      <Link href={paths.settings('apps', app.id)}>{app.name}</Link>
                    </p>
                    <p className="meta">
                      Created <Time at={app.created_at} />
                    </p>
                  </div>
                </div>
                <Button label={`Tokens of ${app.name}`} onClick={() => navigate(paths.settings('apps', app.id))}>
                  Tokens
                </Button>
              </li>
            ))}
          </ul>
          <div>{newApp}</div>
        </>
      )}
      {isCreating && <NewApp close={() => setCreating(false)} />}
    </>
  )
}

function NewApp({ close }: { close(): void }) {
  const [, navigate] = useLocation()
  const create = useMutation({ mutationFn: createApp, onSuccess: ({ id }) => navigate(paths.settings('apps', id)) })
  const isTaken = create.error instanceof ApiError && create.error.code === 'name_taken'
  const fieldError = isTaken ? (create.error as ApiError).detail : getFieldError(create.error, 'name')
  return (
    <FormDialog
      title="New app"
      label="Create app"
      close={close}
      send={(form) => create.mutate(String(form.get('name')))}
      isPending={create.isPending}
      error={fieldError ? undefined : create.error}
    >
      <NameField autoFocus error={fieldError} hint="The app posts under this name." />
    </FormDialog>
  )
}

function AppDetails({ app }: { app: App }) {
  const [, navigate] = useLocation()
  const [question, ask] = useConfirm()
  const remove = () =>
    ask({
      title: `Delete ${app.name}?`,
      text: 'Its tokens are revoked immediately. Everything it posted stays, under its name. This cannot be undone.',
      label: 'Delete app',
      run: () => {
        navigate(paths.settings('apps'), { replace: true })
        void deleteApp(app)
      },
    })
  return (
    <>
      <div className="spread">
        <div className="row">
          <Avatar of={{ ...app, type: 'app' }} size={32} />
          <PageTitle title={app.name} />
        </div>
        <Button variant="danger" icon="trash" onClick={remove}>
          Delete app
        </Button>
      </div>
      <p className="meta">
        Created <Time at={app.created_at} />. Mention it as <code>{`<@${app.id}>`}</code>.
      </p>
      <h2>Tokens</h2>
      <Tokens owner={app} />
      {question}
    </>
  )
}
