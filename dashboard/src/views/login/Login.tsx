import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, send } from "../../api/client";
import { Button } from "../../parts/Button";
import { Field, Input } from "../../parts/Field";
import { Logo } from "../../parts/Icon";
import { client } from "../../polling";
import css from "./login.module.css";

export function Login() {
  const [signUp, setSignUp] = useState(false);
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  // Not an action like others: after a refusal, nothing is read again, and the form keeps what was typed.
  const enter = useMutation<void, Error, void>({
    mutationFn: async () => {
      if (signUp) await send("POST", "users", { username, password });
      await send("POST", "auth/session", { username, password });
    },
    onSuccess: () => void client.resetQueries(),
  });
  const error = enter.error instanceof ApiError ? enter.error : null;
  return (
    <main className={css.page}>
      <form
        className={css.card}
        onSubmit={(event) => {
          event.preventDefault();
          enter.mutate();
        }}
      >
        <h1>
          <Logo />
          {signUp ? "New user" : "Duetime"}
        </h1>
        <Field label="User name">
          <Input autoFocus autoComplete="username" autoCapitalize="none" required value={username} onChange={(event) => setUsername(event.target.value)} />
        </Field>
        <Field label="Password">
          <Input type="password" autoComplete={signUp ? "new-password" : "current-password"} required value={password} onChange={(event) => setPassword(event.target.value)} />
        </Field>
        {error && <p className="bad small" role="alert">{error.message}</p>}
        <Button type="submit" look="solid" disabled={enter.isPending || !username || !password}>
          {signUp ? "Create user and sign in" : "Sign in"}
        </Button>
        <Button look="plain" onClick={() => { setSignUp(!signUp); enter.reset(); }}>
          {signUp ? "I have a user" : "Create a user"}
        </Button>
        <p className="small q">
          The first start prints the password of <code>admin</code> and keeps it in the data directory, in{" "}
          <code>admin-password</code>.
        </p>
      </form>
    </main>
  );
}
