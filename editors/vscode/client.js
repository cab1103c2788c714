// Starts `assay rubric lsp` and connects the editor to it. Everything else happens in the server.
"use strict";

const { window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function activate() {
  const command = workspace.getConfiguration("assay").get("command");
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath;
  const options = folder === undefined ? {} : { cwd: folder };
  client = new LanguageClient(
    "assay",
    "Assay rubrics",
    { command, args: ["rubric", "lsp"], options },
    {
      documentSelector: [{ language: "rubric" }],
      synchronize: { fileEvents: workspace.createFileSystemWatcher("**/*.rubric") },
    },
  );
  try {
    await client.start();
  } catch (error) {
    window.showErrorMessage(
      `"${command} rubric lsp" did not start. Install it with: pip install "assay-engine[editor]"; ` +
        `or give the whole path in the setting assay.command. (${error.message})`,
    );
  }
}

async function deactivate() {
  await client?.stop();
}

module.exports = { activate, deactivate };
