package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
)

func main() {
	body := []byte(`{"servers": [{"game_id": "counterstrike2", "servers": ["127.0.1.1:27515"]}]}`)
	request, err := http.NewRequest("POST", os.Getenv("GSQ_URL")+"/v1/post/fetch", bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-API-Token", os.Getenv("GSQ_TOKEN"))
	request.Header.Set("X-API-Token-Type", "FREE")
	request.Header.Set("X-API-Token-Email", os.Getenv("GSQ_EMAIL"))
	request.Header.Set("Prefer", "wait=3")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	var answer map[string]struct {
		Name    string `json:"name"`
		Message string `json:"message"`
		Players *int   `json:"players"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		log.Fatal(response.Status, err)
	}
	server := answer["127.0.1.1:27515"]
	fmt.Print(server.Name, server.Message)
	if server.Players != nil {
		fmt.Print(" ", *server.Players)
	}
	fmt.Println()
}
